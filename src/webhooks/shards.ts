import { createHash } from 'node:crypto'

/** The parts that the work is shared in. At most as many processes deliver. */
export const SHARDS = 32

export function shardOf(endpointId: string): number {
  return createHash('sha256').update(endpointId).digest().readUInt8(0) % SHARDS
}
