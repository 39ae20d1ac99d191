import { mineBlock } from '@remit/devchain/testing/chain/block'
import { ForecastThread } from '@remit/service/testing/forecasting/ForecastThread'
import { expect, it, vi } from 'vitest'
import * as z from 'zod'
import { protocolOn } from '../support/chain/protocolOn.ts'
import { useTestChain } from '../support/chain/useTestChain.ts'
import { writeSubscribers } from '../support/chain/writeState.ts'
import { useCountingProxy } from '../support/nodes/countingProxy.ts'
import { exchange } from '../support/service/exchange.ts'
import { useTestService } from '../support/service/testService.ts'
import { WALL_OF_TEST_CHAINS } from '../support/service/wallOfTestChains.ts'

// The service as it ships: forecasts come from a thread of its own. Here each counts as new for an hour.

const HOUR_MS = 3_600_000
/** The thread starts from source, on a machine that may have other work. */
const SLOW_MS = 60_000

const chain = await useTestChain({ goesOn: true })
const protocol = protocolOn(chain)
const { alice, bob, provider } = chain.wallets
await writeSubscribers(chain, await protocol.create({ dueDay: 4 }), 300)
const plan = await protocol.create()
await protocol.join(plan, alice)
const node = await useCountingProxy(chain.url)
const times = { everyMs: HOUR_MS, patienceMs: 0, mostWaitMs: SLOW_MS }
const service = await useTestService([{ ...chain, url: node.url }], {}, WALL_OF_TEST_CHAINS, {
  forecastTimes: times,
})

const Outlook = z.object({
  asOf: z.object({ blockNumber: z.number() }),
  charges: z.array(z.object({ verdict: z.string() })).default([]),
  remit: z.object({
    seen: z.object({
      through: z.object({ dayNumber: z.number() }).nullable(),
      readAt: z.object({ blockNumber: z.number(), ageSeconds: z.number() }),
    }),
  }),
})

async function outlook(path: string) {
  const { status, body } = await service.get(path)
  expect({ status, body }).toMatchObject({ status: 200 })
  const { asOf, charges, remit } = Outlook.parse(body)
  return {
    block: asOf.blockNumber,
    verdicts: new Set(charges.map(({ verdict }) => verdict)),
    seen: remit.seen,
  }
}

const ofAlice = `/accounts/${alice}/outlook?days=20`
const ofProvider = `/providers/${provider}/outlook?days=20`

it('asks a node to simulate remit once for all who ask, at whatever block', {
  timeout: 3 * SLOW_MS,
}, async () => {
  await service.caughtUp()
  const first = await outlook(ofAlice)
  expect(first.seen.readAt).toEqual({ blockNumber: first.block, ageSeconds: 0 })
  node.reset()
  for (let block = 1; block <= 3; block += 1) {
    await mineBlock(chain.client, [])
    await service.caughtUp()
    for (const path of [ofAlice, ofProvider, `/accounts/${bob}/outlook?days=20`]) {
      const { seen } = await outlook(path)
      expect(seen.readAt.blockNumber).toBe(first.block)
    }
  }
  const last = await outlook(ofAlice)
  expect(last.block).toBe(first.block + 3)
  expect(last.seen.readAt.ageSeconds).toBeGreaterThan(0)
  expect(last.seen.through).toEqual(first.seen.through)
  expect(node.methods.filter((method) => method === 'eth_simulateV1')).toEqual([])
})

it('counts what a wallet has done since the forecast, and says that it was not tried', {
  timeout: 3 * SLOW_MS,
}, async () => {
  await outlook(ofAlice)
  await protocol.join(plan, bob)
  await service.caughtUp()
  const { block, verdicts, seen } = await outlook(`/accounts/${bob}/outlook?days=20`)
  expect(seen.readAt.blockNumber).toBeLessThan(block)
  expect({ verdicts, through: seen.through }).toEqual({ verdicts: new Set(['pays']), through: null })
})

it('reads a forecast of the block that a caller asks to see', { timeout: 3 * SLOW_MS }, async () => {
  const before = await outlook(ofAlice)
  await mineBlock(chain.client, [])
  await service.caughtUp()
  const minBlock = Number(await chain.client.getBlockNumber())
  expect(before.seen.readAt.blockNumber).toBeLessThan(minBlock)
  const { seen } = await outlook(`${ofAlice}&minBlock=${minBlock}`)
  expect(seen.readAt.blockNumber).toBeGreaterThanOrEqual(minBlock)
})

it('answers what takes everybody’s remit in the thread too, on the keeper’s page and on request', {
  timeout: 3 * SLOW_MS,
}, async () => {
  await service.caughtUp()
  const answered = vi.spyOn(ForecastThread.prototype, 'answer')
  const input = { from: alice }
  const outcomes = [
    await service.post('/prepare/remit', input),
    await service.post('/check_remit_readiness', input),
    await service.post('/simulate/remit', input),
  ]
  expect(outcomes.map(({ status, body }) => ({ status, body }))).toMatchObject([
    { status: 422, body: { code: 'NOT_READY', issues: [{ code: 'NOTHING_DUE' }] } },
    { status: 200, body: { ready: false, details: { expectedTransactions: 0 } } },
    { status: 200, body: { paid: 0, unfinished: null } },
  ])
  const asked = () => answered.mock.calls.map(([question]) => question.operation)
  const operations = ['prepare_remit', 'check_remit_readiness', 'simulate_remit']
  expect(asked()).toEqual(operations)
  answered.mockClear()
  const page = await exchange(`${service.url}/keeper`, { headers: { Accept: 'text/html' } })
  expect(page.status).toBe(200)
  expect(asked().toSorted()).toEqual(operations.toSorted())
  answered.mockRestore()
})
