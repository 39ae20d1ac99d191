import { decode, toAnswer } from '@remit/engine/declare/codec'
import * as z from 'zod'
import type { ServiceContext } from '../calls/ServiceContext.ts'
import type { ServiceOperation } from '../calls/serviceOperation.ts'
import { createKey, KEEP_THE_TOKEN, Key, listKeys, revokeKey, toKey } from '../operations/keys.ts'
import type { KeysPort } from '../ports/keys.ts'
import type { KeysCommand } from './arguments.ts'

/** How many keys are read at a time. */
const PAGE = 100

/**
 * Runs a command through the operations that HTTP callers use, and resolves with the text to print.
 *
 * Throws what these operations throw.
 */
export async function runKeys(
  command: Exclude<KeysCommand, { name: 'help' | 'reseal' }>,
  keys: KeysPort,
): Promise<string> {
  switch (command.name) {
    case 'create': {
      const body = CreatedBody.parse(await call(createKey, command.input, keys))
      return command.json ? jsonOf(body) : sentencesOf(body)
    }
    case 'rotate': {
      const { token, key, replaced } = await keys.rotate(command.id)
      const body = { id: key.id, token, key: toKey(key), replaced: toKey(replaced), warning: KEEP_THE_TOKEN }
      return command.json ? jsonOf(body) : `${sentencesOf(body)}${replacedSentence(body.replaced)}`
    }
    case 'list': {
      const body = { keys: await listAll(command.subjectId, keys), nextCursor: null }
      return command.json ? jsonOf(body) : tableOf(body.keys)
    }
    case 'revoke': {
      const body = RevokedBody.parse(await call(revokeKey, { id: command.id }, keys))
      return command.json ? jsonOf(body) : `Revoked ${body.key.id}, a key of ${body.key.subjectId}.\n`
    }
  }
}

async function listAll(subjectId: string | undefined, keys: KeysPort): Promise<ListedBody['keys']> {
  const rows: ListedBody['keys'] = []
  let after: string | undefined
  do {
    const page = ListedBody.parse(await call(listKeys, { subjectId, first: PAGE, after }, keys))
    rows.push(...page.keys)
    after = page.nextCursor ?? undefined
  } while (after !== undefined)
  return rows
}

async function call(operation: ServiceOperation, input: object, keys: KeysPort): Promise<unknown> {
  const { declaration, name } = operation
  if (declaration.once !== undefined) throw new RangeError(`${name} is not about keys`)
  const asked = decode(operation, { input }, 'developer')
  const context = Object.assign(withOnly({ keys, subject: undefined }), { input: asked.input })
  return toAnswer(operation, await declaration.handle(context)).body
}

/** A context without the rest of the service: whatever else an operation asks for fails by its name. */
function withOnly(own: Pick<ServiceContext, 'keys' | 'subject'>): ServiceContext {
  return new Proxy(own as ServiceContext, {
    get(target, name) {
      if (name in target) return Reflect.get(target, name)
      throw new RangeError(`there is no ${String(name)} at the command line`)
    },
  })
}

function jsonOf(body: object): string {
  return `${JSON.stringify(body, undefined, 2)}\n`
}

/** The answers of the operations, as this command prints them. */
const CreatedBody = z.object({ id: z.string(), token: z.string(), key: Key, warning: z.string() })
const ListedBody = z.object({ keys: z.array(Key), nextCursor: z.string().nullable() })
const RevokedBody = z.object({ key: Key, revoked: z.literal(true) })

type ListedBody = z.output<typeof ListedBody>

/** The text about a new key. The key is on its own line, so that it is easy to copy. */
function sentencesOf({ token, key, warning }: z.output<typeof CreatedBody>): string {
  const until = key.expiresAt === null ? 'It does not expire.' : `It expires at ${timeOf(key.expiresAt)}.`
  return `Key ${key.id} for ${key.subjectId}. ${until}\n\n  ${token}\n\n${warning}\n`
}

function replacedSentence({ id, expiresAt }: z.output<typeof Key>): string {
  return `The key that it replaces, ${id}, works until ${timeOf(expiresAt)}.\n`
}

type Row = ListedBody['keys'][number]

const COLUMNS: readonly (readonly [heading: string, value: (key: Row) => string])[] = [
  ['ID', ({ id }) => id],
  ['SUBJECT', ({ subjectId }) => subjectId],
  ['LABEL', ({ label }) => label ?? ''],
  ['KEY', ({ prefix }) => `${prefix}…`],
  ['CREATED', ({ createdAt }) => timeOf(createdAt)],
  ['LAST USED', ({ lastUsedAt }) => timeOf(lastUsedAt)],
  ['STATE', stateOf],
]

function tableOf(keys: readonly Row[]): string {
  if (keys.length === 0) return 'No keys.\n'
  const rows = [
    COLUMNS.map(([heading]) => heading),
    ...keys.map((key) => COLUMNS.map(([, value]) => value(key))),
  ]
  const widths = COLUMNS.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)))
  const lines = rows.map((row) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  '))
  return `${lines.map((line) => line.trimEnd()).join('\n')}\n`
}

function stateOf({ revokedAt, expiresAt }: Row): string {
  if (revokedAt !== null) return `revoked ${timeOf(revokedAt)}`
  if (expiresAt === null) return 'live'
  return expiresAt * 1000 <= Date.now() ? `expired ${timeOf(expiresAt)}` : `live until ${timeOf(expiresAt)}`
}

function timeOf(timestamp: number | null): string {
  return timestamp === null ? '–' : new Date(timestamp * 1000).toISOString().replace('.000Z', 'Z')
}
