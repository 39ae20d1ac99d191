import type { Operation } from '../core/operation.ts'
import type { KeysPort } from '../core/ports/keys.ts'
import { noPortal } from '../core/ports/portal.ts'
import { createKey, KEEP_THE_TOKEN } from '../operations/keys/createKey.ts'
import { toKey } from '../operations/keys/key.ts'
import { listKeys } from '../operations/keys/listKeys.ts'
import { revokeKey } from '../operations/keys/revokeKey.ts'
import type { KeysCommand } from './arguments.ts'
import { CreatedBody, ListedBody, RevokedBody, replacedSentence, sentencesOf, tableOf } from './print.ts'

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

async function call(operation: Operation, input: object, keys: KeysPort): Promise<unknown> {
  const bound = operation.bind(input, 'developer')
  if (bound.scope !== 'keys') throw new Error(`${operation.name} is not about keys`)
  const { passes, usage } = noPortal
  const context = { requestId: 'command', lane: 'developer', signal: undefined, passes } as const
  const { body } = await bound.run({ ...context, keys, usage })
  return body
}

function jsonOf(body: object): string {
  return `${JSON.stringify(body, undefined, 2)}\n`
}
