import * as z from 'zod'
import { BlockNumber } from './numbers.ts'

/** The health of a chain's index, from memory. The alarm names no upstream. */
export const IndexHealth = z.object({
  source: z.enum(['rpc', 'subgraph']),
  ok: z.boolean().describe('Whether it can be read and is kept up to date.'),
  blockNumber: BlockNumber.nullable().describe('The last indexed block; null before the first.'),
  lagSeconds: z.int().min(0).nullable(),
  synced: z.boolean().describe('Whether it is at the head, except for the newest blocks.'),
  backfill: z
    .object({
      fromBlock: BlockNumber,
      toBlock: BlockNumber,
      blockNumber: z.int().describe('The last block that has been read.'),
      percent: z.number(),
      blocksPerSecond: z.number(),
      blocksPerRequest: z
        .int()
        .nullable()
        .describe('How many blocks one request asks for at present; null if another process asks.'),
      requestsLeft: z.int().nullable(),
      secondsLeft: z.int().nullable(),
    })
    .nullable()
    .describe('Progress of the first read of the chain’s past; null when none is running.'),
  approvals: z
    .object({
      fromBlock: BlockNumber,
      toBlock: BlockNumber,
      blockNumber: z.int().describe('The approvals of blocks up to this one are known, and of new blocks.'),
      percent: z.number(),
    })
    .nullable()
    .describe(
      'While approvals of the past are read behind the index: how far that is. Nothing waits for it. null where all are known.',
    ),
  alarm: z.string().nullable().describe('What is wrong, for the operator; null where nothing is.'),
})

export type IndexHealth = Readonly<z.output<typeof IndexHealth>>

/** How far the first read of a chain has come. */
export type BackfillProgress = NonNullable<IndexHealth['backfill']>

/** The health of webhooks, from memory, without naming any. */
export const WebhooksHealth = z.object({
  active: z.int().min(0).describe('Webhooks that are not paused.'),
  failing: z.int().min(0).describe('Those of them that did not take the last request.'),
  paused: z.int().min(0),
  deliverers: z.int().min(0).describe('Processes that deliver.'),
  waiting: z
    .int()
    .min(0)
    .describe('Deliveries that are not done, those of paused webhooks too; counted up to 100,000.'),
  behindSeconds: z
    .int()
    .min(0)
    .describe(
      'How long events have waited that could be sent: nobody handed them out, or no process had time.',
    ),
  alarm: z.string().nullable().describe('What is wrong, for the operator; null where nothing is.'),
})

export type WebhooksHealth = Readonly<z.output<typeof WebhooksHealth>>
