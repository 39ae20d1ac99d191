import { expect, it } from 'vitest'
import * as z from 'zod'
import { protocolOn } from '../support/chain/protocolOn.ts'
import { useTestChain } from '../support/chain/useTestChain.ts'
import { startTestService } from '../support/service/testService.ts'
import { PROFILES } from './profiles/profiles.ts'
import { startProfileNode } from './profiles/startProfileNode.ts'

const chain = await useTestChain({ terms: { maxRemits: 2n } })
const { admin, alice, bob, carol, keeper } = chain.wallets
const protocol = protocolOn(chain)

const Ready = z.object({
  details: z.object({
    expectedTransactions: z.number(),
    callerFees: z.array(z.object({ amountRaw: z.string() })),
  }),
})

/** What keepers are told over a kind of node, of how often to call and of what they earn. */
async function forecastOver(name: string) {
  const profile = PROFILES.find((one) => one.name === name) ?? { name, title: name, lines: [] }
  const node = await startProfileNode(chain.url, profile)
  const service = await startTestService([{ ...chain, url: node.url }])
  try {
    await service.caughtUp()
    const { body } = await service.post('/check_remit_readiness', { from: keeper })
    const { expectedTransactions, callerFees } = Ready.parse(body).details
    return { expectedTransactions, fees: callerFees.map(({ amountRaw }) => amountRaw) }
  } finally {
    await service.close()
    await node.close()
  }
}

// The contract tells neither where a page broke off nor whether the system takes its part of the fees: only a run shows.
it('a node that runs lent code but simulates nothing foresees a broken page and the system’s part as they are', async () => {
  const subscription = await protocol.create({ dueDay: 3 })
  for (const account of [alice, bob, carol]) await protocol.join(subscription, account)
  await protocol.send(admin, 'systemFeeActivate', [true])
  await chain.advanceDays(2)
  await protocol.send(keeper, 'remit', [])
  const truth = await forecastOver('plain')
  expect(await forecastOver('no-simulation')).toEqual(truth)
  expect(await forecastOver('calls-only')).not.toEqual(truth)
})
