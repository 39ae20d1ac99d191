import { setTimeout as sleep } from 'node:timers/promises'
import * as z from 'zod'
import type { ExampleChain } from './exampleChain.ts'
import type { ExampleService } from './exampleService.ts'

const Seen = z.object({
  asOf: z.object({ blockHash: z.string() }),
  index: z.object({ synced: z.literal(true) }),
})

const MOST_WAIT_MS = 10_000

/** Waits until the service and its index stand at the chain's latest block. Throws after 10 s. */
export async function seen(service: ExampleService, { client, contract }: ExampleChain): Promise<void> {
  const { hash, number } = await client.getBlock()
  const deadline = performance.now() + MOST_WAIT_MS
  while (performance.now() < deadline) {
    const { data } = Seen.safeParse((await service.fetch(`/providers/${contract}`)).body)
    if (data?.asOf.blockHash === hash) return
    await sleep(20)
  }
  throw new Error(`The service has not come to block ${number} within ${MOST_WAIT_MS} ms`)
}
