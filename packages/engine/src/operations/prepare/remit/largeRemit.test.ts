import { protocolOn } from '@remit/testing/support/chain/protocolOn'
import { subscribeCrowd } from '@remit/testing/support/chain/subscribeCrowd'
import { signerOf, useTestChain } from '@remit/testing/support/chain/useTestChain'
import { useTestService } from '@remit/testing/support/service/testService'
import { signAndSend } from '@remit/testing/support/wallets/signAndSend'
import { expect, it } from 'vitest'
import * as z from 'zod'

const CAP = 16_777_216n
const chain = await useTestChain({
  terms: { maxRemits: 1_000n },
  gasLimit: 60_000_000n,
  capsTransactions: true,
})
// A remit of some 14.5 million gas.
await subscribeCrowd(chain, await protocolOn(chain).create(), 350)
await chain.advanceDays(3)
await chain.keep()
const service = await useTestService([chain])

const Prepared = z.object({
  simulation: z.object({ calls: z.array(z.object({ gasUsed: z.string() })) }),
  gasEstimates: z.array(z.object({ gasLimit: z.string() })),
})

it('a remit of 14 million gas is prepared with a limit that a chain with EIP-7825 takes', async () => {
  await service.caughtUp()
  const { body } = await service.post('/prepare/remit', { from: chain.wallets.keeper })
  const { simulation, gasEstimates } = Prepared.parse(body)
  // With the usual headroom it would ask for more than the cap.
  expect((BigInt(simulation.calls[0]?.gasUsed ?? 0) * 4n) / 3n).toBeGreaterThan(CAP)
  expect(gasEstimates).toMatchObject([{ gasLimit: `${CAP}` }])
  const { receipts } = await signAndSend(chain, signerOf(9), body)
  expect(receipts.map(({ status }) => status)).toEqual(['success'])
}, 60_000)
