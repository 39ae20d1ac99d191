import { parseArgs } from 'node:util'
import { decode, toAnswer } from '@remit/engine/declare/codec'
import { RemitError } from '@remit/engine/errors/base'
import type { Log } from '@remit/engine/ports/log'
import * as z from 'zod'
import { DeveloperKeys } from '../access/keys/DeveloperKeys.ts'
import { StoreAccess } from '../access/StoreAccess.ts'
import type { ServiceContext } from '../calls/ServiceContext.ts'
import type { ServiceOperation } from '../calls/serviceOperation.ts'
import { commandLine } from '../commandLine.ts'
import { ConfigError } from '../configuration/ConfigError.ts'
import { loadKeysConfig } from '../configuration/loadConfig.ts'
import { misspellings } from '../configuration/misspellings.ts'
import { type Environment, reader } from '../configuration/reader.ts'
import { SECRETS_KEY } from '../configuration/variables/portal.ts'
import { KEYS } from '../configuration/variables/service.ts'
import { createKey, KEEP_THE_TOKEN, Key, listKeys, revokeKey, toKey } from '../operations/keys.ts'
import type { KeysPort } from '../ports/keys.ts'
import { openStore, type Store } from '../store/openStore.ts'
import { resealSecrets } from '../store/resealSecrets.ts'
import { SecretBox } from '../store/SecretBox.ts'
import { StoreError } from '../store/StoreError.ts'

// `npm run keys`: first the command as a whole (`main`, `run`), then reading the command line (`readArguments`),
// running it (`runKeys`), and writing the text that it prints.

/** Exit codes. */
const FAILED = 1
const NOT_UNDERSTOOD = 2

/** The command logs nothing: the error that ends it says what went wrong. */
const quiet: Log = { info: () => {}, warn: () => {}, error: () => {} }

async function run(args: readonly string[], environment: Environment): Promise<string> {
  const command = readArguments(args)
  if (command.name === 'help') return HELP
  const { databaseUrl, maxKeysPerSubject } = loadKeysConfig(environment)
  // A misspelt DATABASE_URL would make keys in a store that no service reads.
  for (const sentence of misspellings(environment)) process.stderr.write(`${sentence}\n`)
  const store = await openStore(databaseUrl)
  try {
    if (command.name === 'reseal') return await reseal(store, environment)
    const keys = new DeveloperKeys({ store, maxKeysPerSubject, access: new StoreAccess(quiet) })
    return await runKeys(command, keys)
  } finally {
    await store.close()
  }
}

/** Seals every secret in the store with the first key of SECRETS_KEY. */
async function reseal(store: Store, environment: Environment): Promise<string> {
  const keys = reader(environment).one(SECRETS_KEY)
  if (keys === undefined) {
    throw new ConfigError(`${SECRETS_KEY.name} is not set: list the new key, and behind it the old one.`)
  }
  const resealed = await resealSecrets(store, new SecretBox(keys))
  return `${resealed} secrets were sealed with the first key of ${SECRETS_KEY.name}, which opens all of them now.\n`
}

function sentenceOf(error: unknown): string {
  if (error instanceof UsageError) return `${error.message} ${commandLine('keys', '--help')} says more.`
  const isOurs = error instanceof RemitError || error instanceof ConfigError || error instanceof StoreError
  if (isOurs) return error.message
  return error instanceof Error ? (error.stack ?? error.message) : String(error)
}

/** `npm run keys` */
export async function main(args: readonly string[]): Promise<void> {
  try {
    process.stdout.write(await run(args, process.env))
  } catch (error) {
    process.stderr.write(`${sentenceOf(error)}\n`)
    process.exitCode = error instanceof UsageError ? NOT_UNDERSTOOD : FAILED
  }
}

/** The command line is invalid. The message says what is expected. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}

export const HELP = `Developers' API keys, in the database of DATABASE_URL (default ${KEYS.databaseUrl.default}).

  ${commandLine('keys', 'create --subject <who> [--label <what for>] [--expires <when>]')}
  ${commandLine('keys', 'list [--subject <who>]')}
  ${commandLine('keys', 'rotate <id>')}
  ${commandLine('keys', 'revoke <id>')}
  ${commandLine('keys', 'reseal')}

rotate replaces a key. The old one works for 24 more hours and no longer counts towards the limit of keys.
reseal seals all secrets in the database with the first key of SECRETS_KEY. It needs those that sealed them behind it.

  --subject   whose key it is, in your own words
  --label     what the key is for
  --expires   when the key expires: 2031-12-31, or 2031-12-31T12:00:00Z
  --json      answers as GET, POST and DELETE /developer/keys do
  --help      this text
`

/** A command, as read from the command line. Times are unix seconds. */
export type KeysCommand =
  | { readonly name: 'help' }
  | { readonly name: 'reseal' }
  | {
      readonly name: 'create'
      readonly json: boolean
      readonly input: {
        readonly subjectId: string
        readonly label?: string | undefined
        readonly expiresAt?: number | undefined
      }
    }
  | { readonly name: 'list'; readonly json: boolean; readonly subjectId: string | undefined }
  | { readonly name: 'revoke' | 'rotate'; readonly json: boolean; readonly id: string }

/** The options of each command, beside --json. */
const OPTIONS = {
  create: ['subject', 'label', 'expires'],
  list: ['subject'],
  revoke: [],
  rotate: [],
  reseal: [],
} as const

const CommandName = z.enum(['create', 'list', 'rotate', 'revoke', 'reseal'])

/** Reads a command line. Throws UsageError. */
export function readArguments(args: readonly string[]): KeysCommand {
  const { values, positionals } = parse(args)
  if (values.help || (positionals.length === 0 && args.length === 0)) return { name: 'help' }
  const [first, id, ...rest] = positionals
  const name = CommandName.safeParse(first).data
  if (name === undefined) {
    throw new UsageError(
      first === undefined ? 'Say create, list, rotate, revoke or reseal.' : `There is no command ${first}.`,
    )
  }
  const known: readonly string[] = name === 'reseal' ? [] : [...OPTIONS[name], 'json']
  const unknown = Object.keys(values).find((option) => !known.includes(option))
  if (unknown !== undefined) throw new UsageError(`${name} takes no --${unknown}.`)
  const surplus = name === 'revoke' || name === 'rotate' ? rest[0] : id
  if (surplus !== undefined)
    throw new UsageError(`Unexpected text ${surplus}: put texts with spaces in quotes.`)
  const json = values.json ?? false
  switch (name) {
    case 'create':
      if (values.subject === undefined) throw new UsageError('create needs --subject: whose key is it?')
      return {
        name,
        json,
        input: { subjectId: values.subject, label: values.label, expiresAt: readTime(values.expires) },
      }
    case 'list':
      return { name, json, subjectId: values.subject }
    case 'reseal':
      return { name }
    case 'rotate':
    case 'revoke':
      if (id === undefined) throw new UsageError(`${name} needs the id of a key, which list shows.`)
      return { name, json, id }
  }
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        subject: { type: 'string' },
        label: { type: 'string' },
        expires: { type: 'string' },
        json: { type: 'boolean' },
        help: { type: 'boolean', short: 'h' },
      },
    })
  } catch (error) {
    const [sentence = ''] = error instanceof Error ? error.message.split('. ') : []
    throw new UsageError(`${sentence.replace(/\.$/, '')}.`)
  }
}

const TIME = z.union([z.iso.date(), z.iso.datetime({ offset: true })])

function readTime(text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  const time = TIME.safeParse(text)
  // A date alone means midnight UTC, as Date reads it.
  if (time.success) return Math.floor(Date.parse(time.data) / 1000)
  throw new UsageError('--expires must be a date such as 2031-12-31, or a time such as 2031-12-31T12:00:00Z.')
}

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

/** What an operation about keys answers, decoded and encoded as over HTTP. */
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
