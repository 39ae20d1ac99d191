import { ValidationError } from '@remit/engine/errors/input'
import type { WebhookPage, WebhookPageQuery } from '../../ports/webhooks.ts'

// Pages of lists of the store, newest first. A cursor is the place of the page's last row, as JSON in base64url.

/** @param rows one more than the page has, where there are more */
export function pageOf<Row, Shown>(
  rows: readonly Row[],
  { first }: WebhookPageQuery,
  placeOf: (row: Row) => readonly (string | number)[],
  show: (row: Row) => Shown,
): WebhookPage<Shown> {
  const page = rows.slice(0, first)
  const last = rows.length > first ? page.at(-1) : undefined
  const nextCursor = last && Buffer.from(JSON.stringify(placeOf(last))).toString('base64url')
  return { rows: page.map(show), nextCursor: nextCursor ?? null }
}

/** The groups that `pattern` finds in a cursor's JSON; none for the first page. Throws ValidationError. */
export function readPlace(cursor: string | undefined, pattern: RegExp): readonly string[] {
  if (cursor === undefined) return []
  const match = pattern.exec(Buffer.from(cursor, 'base64url').toString('latin1'))
  if (match === null) throw ValidationError.of('after', 'must be the nextCursor of an earlier page')
  return match.slice(1)
}
