import * as z from 'zod'
import { PreconditionCode, WarningCode } from './codes.ts'
import { BlockHash } from './hex.ts'
import { BlockNumber, Timestamp } from './numbers.ts'

/** The one block at which everything in an answer was read. */
export const AsOf = z
  .object({ blockNumber: BlockNumber, blockHash: BlockHash, timestamp: Timestamp })
  .meta({ id: 'AsOf' })

export type AsOf = z.output<typeof AsOf>

/** How far the index was when an answer used it. */
export const IndexPosition = z
  .object({
    blockNumber: BlockNumber,
    timestamp: Timestamp,
    lagSeconds: z.int().min(0).describe('The chain head’s timestamp minus the index’s.'),
    synced: z.boolean().describe('Whether it is at the head, except for the newest blocks.'),
  })
  .meta({ id: 'IndexPosition' })

export type IndexPosition = z.output<typeof IndexPosition>

/** A hint that does not stop anything: a permanent code, a sentence, and the facts behind it. */
export const Warning = z
  .looseObject({ code: WarningCode, message: z.string() })
  .meta({ id: 'Warning', description: 'A non-fatal hint, with facts beside its code.' })

export type Warning = z.output<typeof Warning>

/** One thing that is wrong: a field of the input, or a precondition on chain. */
export const Issue = z
  .looseObject({ code: PreconditionCode.optional(), path: z.string().optional(), message: z.string() })
  .meta({ id: 'Issue', description: 'One failing field or precondition, with facts beside its code.' })

export type Issue = z.output<typeof Issue>
