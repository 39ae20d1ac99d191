import type { ApiKey } from '../../core/ports/keys.ts'
import { ValidationError } from '../../errors/input.ts'

/** Where a page of keys ended: the moment, and among the keys of that moment the id. */
export interface KeyCursor {
  /** Unix milliseconds. */
  readonly createdAt: number
  readonly id: string
}

export function writeCursor({ createdAt, id }: Pick<ApiKey, 'createdAt' | 'id'>): string {
  return Buffer.from(`${createdAt}.${id}`).toString('base64url')
}

/** Throws ValidationError for what this service never gave out. */
export function readCursor(cursor: string): KeyCursor {
  const match = /^(\d{1,15})\.([0-9a-f-]{36})$/.exec(Buffer.from(cursor, 'base64url').toString('latin1'))
  const [, createdAt, id] = match ?? []
  if (createdAt === undefined || id === undefined) {
    throw ValidationError.of('after', 'must be the nextCursor of an earlier page')
  }
  return { createdAt: Number(createdAt), id }
}
