import * as z from 'zod'
import { Key } from '../operations/keys/keys.ts'

/** The answers of the operations, as this command prints them. */
export const CreatedBody = z.object({ id: z.string(), token: z.string(), key: Key, warning: z.string() })
export const ListedBody = z.object({ keys: z.array(Key), nextCursor: z.string().nullable() })
export const RevokedBody = z.object({ key: Key, revoked: z.literal(true) })

export type ListedBody = z.output<typeof ListedBody>

/** The text about a new key. The key is on its own line, so that it is easy to copy. */
export function sentencesOf({ token, key, warning }: z.output<typeof CreatedBody>): string {
  const until = key.expiresAt === null ? 'It does not expire.' : `It expires at ${timeOf(key.expiresAt)}.`
  return `Key ${key.id} for ${key.subjectId}. ${until}\n\n  ${token}\n\n${warning}\n`
}

/** The text about a replaced key. */
export function replacedSentence({ id, expiresAt }: z.output<typeof Key>): string {
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

/** Keys as a table for people. */
export function tableOf(keys: readonly Row[]): string {
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
