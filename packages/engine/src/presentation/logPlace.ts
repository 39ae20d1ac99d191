import * as z from 'zod'
import type { LogPlace } from '../ports/history.ts'
import { TransactionHash } from '../schema/hash.ts'
import { BlockNumber, IsoTime, Timestamp } from '../schema/numbers.ts'
import { isoTime } from './day.ts'

/** Where and when a row was logged. */
export const logPlaceFields = {
  timestamp: Timestamp,
  formattedTimestamp: IsoTime,
  blockNumber: BlockNumber,
  transactionHash: TransactionHash,
  logIndex: z.int().min(0),
  finalized: z.boolean().describe('Whether its block can no longer be reorganised away.'),
}

export function toLogPlace({ timestamp, blockNumber, transactionHash, logIndex, finalized }: LogPlace) {
  return {
    timestamp,
    formattedTimestamp: isoTime(timestamp),
    blockNumber,
    transactionHash,
    logIndex,
    finalized,
  }
}
