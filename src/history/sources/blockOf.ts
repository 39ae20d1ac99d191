import type { BlockRef } from '../../core/ports/history.ts'

/** What is kept of a header. */
export function blockOf({ number, hash, parentHash, timestamp }: BlockRef): BlockRef {
  return { number, hash, parentHash, timestamp }
}
