import * as z from 'zod'
import { BlockNumber, Timestamp } from './numbers.ts'

/** How far the index was that an answer used. */
export const IndexPosition = z
  .object({
    blockNumber: BlockNumber,
    timestamp: Timestamp,
    lagSeconds: z.int().min(0).describe('The chain head’s timestamp less the index’s.'),
    synced: z.boolean().describe('Whether it is at the head, but for blocks that are on their way.'),
  })
  .meta({ id: 'IndexPosition' })

export type IndexPosition = z.output<typeof IndexPosition>
