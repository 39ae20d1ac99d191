import * as z from 'zod'
import type { ServedChain, TestService } from './testService.ts'

const Seen = z.object({
  asOf: z.object({ blockHash: z.string() }),
  index: z.object({ synced: z.literal(true) }),
})

/** Waits until the service's index stands at the chain's latest block. Throws after a minute. */
export async function indexed(service: TestService, chain: ServedChain): Promise<void> {
  const { hash, number } = await chain.client.getBlock()
  const deadline = performance.now() + 60_000
  while (performance.now() < deadline) {
    // Reads nothing of the chain, which is left as cold as it was.
    const { body } = await service.get(`/providers/${chain.contract}?chainId=${chain.chainId}`)
    const seen = Seen.safeParse(body)
    if (seen.success && seen.data.asOf.blockHash === hash) return
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  throw new Error(`The index has not come to block ${number} within a minute`)
}
