import { protocolOn } from '@remit/testing/support/chain/protocolOn'
import { subscribeCrowd } from '@remit/testing/support/chain/subscribeCrowd'
import { signerOf, useTestChain } from '@remit/testing/support/chain/useTestChain'
import { useCountingProxy } from '@remit/testing/support/nodes/countingProxy'
import { startTestService, useTestService } from '@remit/testing/support/service/testService'
import { signAndSend } from '@remit/testing/support/wallets/signAndSend'
import { expect, it } from 'vitest'
import * as z from 'zod'

/** Lower than any real one, so that few subscribers are enough. */
const CAP = 1_300_000n
const CAPPED = { TX_GAS_CAP_31337: `${CAP}` }
const chain = await useTestChain({ terms: { maxRemits: 100n } })
const protocol = protocolOn(chain)
const { admin, keeper } = chain.wallets
const signer = signerOf(9)
// Wednesday's remit takes some 1.1 million gas, Thursday’s some 1.7.
await subscribeCrowd(chain, await protocol.create({ dueDay: 3 }), 21)
await subscribeCrowd(chain, await protocol.create({ dueDay: 4 }), 45)
await chain.advanceDays(3)
await chain.keep()
const node = await useCountingProxy(chain.url)
const service = await useTestService([{ ...chain, url: node.url }], CAPPED)

const Prepared = z.object({
  simulation: z.object({ calls: z.array(z.object({ gasUsed: z.string() })) }),
  gasEstimates: z.array(z.object({ gasLimit: z.string() })),
})

async function post(path: string) {
  await service.caughtUp()
  return service.post(path, { from: keeper })
}

it('one that does not is refused by name, said for its day before, and possible once maxRemits is lowered', async () => {
  const before = await post('/check_remit_readiness')
  expect(before.body).toMatchObject({
    ready: true,
    details: {
      expectedTransactions: 1,
      seen: { calls: 1, through: { date: '2026-03-04' } },
      days: [{ state: 'tried' }, { date: '2026-03-05', state: 'blocked' }],
    },
    warnings: [{ code: 'TRANSACTION_GAS_CAP', day: { date: '2026-03-05' }, afterCalls: 1, gasCap: `${CAP}` }],
  })
  await protocol.send(admin, 'changeMaxRemits', [25n])
  await signAndSend(chain, signer, (await post('/prepare/remit')).body)
  await protocol.send(admin, 'changeMaxRemits', [100n])
  for (const lacks of [false, true]) {
    node.fail({
      answer: ({ method }) =>
        lacks && method === 'eth_simulateV1'
          ? { error: { code: -32601, message: 'the method eth_simulateV1 does not exist' } }
          : undefined,
    })
    // A block more, so that nothing is known of it yet.
    await chain.client.mine({ blocks: 1 })
    const { body } = await post('/check_remit_readiness')
    const issue = z
      .object({
        issues: z.tuple([z.object({ code: z.string(), message: z.string(), gasNeeded: z.string() })]),
      })
      .parse(body).issues[0]
    expect(issue.code).toBe('TRANSACTION_GAS_CAP')
    expect(BigInt(issue.gasNeeded)).toBeGreaterThan(CAP)
    expect(issue.message).toContain('changeMaxRemits')
    const refused = await post('/prepare/remit')
    expect(refused).toMatchObject({
      status: 422,
      body: { code: 'NOT_READY', issues: [{ code: 'TRANSACTION_GAS_CAP', gasCap: `${CAP}` }] },
    })
  }
  await protocol.send(admin, 'changeMaxRemits', [15n])
  const lowered = await post('/check_remit_readiness')
  expect(lowered.body).toMatchObject({ ready: true, details: { expectedTransactions: 3 } })
})

it('a chain without a cap has it prepared with what it takes', async () => {
  await protocol.send(admin, 'setNextUncheckedDay', [Math.floor((await chain.now()) / 86_400)])
  const uncapped = await startTestService([chain], { TX_GAS_CAP_31337: 'none' })
  try {
    await uncapped.caughtUp()
    const { body } = await uncapped.post('/prepare/remit', { from: keeper })
    expect(BigInt(Prepared.parse(body).gasEstimates[0]?.gasLimit ?? 0)).toBeGreaterThan(CAP)
  } finally {
    await uncapped.close()
  }
})
