import { expect } from 'vitest'
import * as z from 'zod'
import { indexed } from './indexed.ts'
import type { ServedChain, TestService } from './testService.ts'

/** A page of events, as far as tests look at each of them. */
export const Events = z.object({
  events: z.array(
    z.looseObject({
      eventName: z.string(),
      formattedAmount: z.string().nullable(),
      blockNumber: z.number(),
      logIndex: z.number(),
      finalized: z.boolean(),
    }),
  ),
  hasMore: z.boolean(),
  nextCursor: z.string().nullable(),
})

/** Reads a page of events once the index is at the chain's latest block. */
export async function readEvents(service: TestService, chain: ServedChain, path: string) {
  await indexed(service, chain)
  const { status, body } = await service.get(path)
  expect([status, body.error]).toEqual([200, undefined])
  return { body, ...Events.parse(body) }
}
