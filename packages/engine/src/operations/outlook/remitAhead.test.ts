import { BlockingToken } from '@remit/contracts/BlockingToken'
import { approvedToken } from '@remit/testing/support/chain/approvedToken'
import { contractAt } from '@remit/testing/support/chain/contractAt'
import { Frequency, protocolOn, type Subscription } from '@remit/testing/support/chain/protocolOn'
import { useTestChain } from '@remit/testing/support/chain/useTestChain'
import { fakeQueries } from '@remit/testing/support/history/fakeHistory'
import { indexed } from '@remit/testing/support/service/indexed'
import { useTestService } from '@remit/testing/support/service/testService'
import { getAddress } from 'viem'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import type { AskIndex } from '../../declare/contexts.ts'
import type { BlockedCharge } from '../../ports/verdicts.ts'
import type { AccountRemitForecast } from './remitAhead.ts'
import { withSweep } from './remitAhead.ts'

const chain = await useTestChain({ goesOn: true, terms: { maxRemits: 1n } })
const protocol = protocolOn(chain)
const { admin, alice, bob, carol, dave, stranger, keeper, provider } = chain.wallets
const rich = { balance: 10n ** 12n, allowance: 10n ** 12n }
const weekdays = [1, 2, 3, 4, 5, 6, 7]
const plans: Subscription[] = []
for (const dueDay of weekdays) plans.push(await protocol.create({ dueDay }))
// One call for each charge, and many on each day: more than one answer tries come before the quarter.
for (const payer of [alice, bob, carol, stranger, keeper]) {
  await protocol.fund(chain.tokens.usdc, payer, rich)
  for (const plan of plans) await protocol.send(payer, 'subscribe', [plan])
}
const blocking = await approvedToken(chain, BlockingToken)
const quarterly = await protocol.create({ token: blocking, frequency: Frequency.QUARTERLY, dueDay: 58 })
await protocol.join(quarterly, dave)
await contractAt(chain.client, blocking, BlockingToken.abi).send(admin, 'setBlacklisted', [dave, true])
const blockNumber = Number(await chain.client.getBlockNumber())
const service = await useTestService([chain], { SWEEP_REQUESTS_PER_HOUR: '100000' })

const Verdicts = z.object({ verdicts: z.object({ unread: z.number(), memberships: z.literal(36) }) })
const Outlook = z.object({
  charges: z.array(
    z.object({
      day: z.object({ date: z.string() }),
      verdict: z.string(),
      blockedBy: z.string().nullable(),
    }),
  ),
  remit: z.object({ seen: z.object({ through: z.object({ date: z.string() }) }), stop: z.unknown() }),
})

async function swept() {
  await indexed(service, chain)
  await expect
    .poll(async () => Verdicts.parse((await service.get(`/providers/${provider}/outlook`)).body), {
      timeout: 15_000,
    })
    .toMatchObject({ verdicts: { unread: 0 } })
}

it('lets a wallet wait from the day on which the sweep knows of somebody who blocks remit, and says when it looked', async () => {
  await swept()
  const { status, body } = await service.get(`/accounts/${alice}/outlook?days=120&first=500`)
  expect({ status, body }).toMatchObject({ status: 200 })
  const { charges, remit } = Outlook.parse(body)
  expect(remit.seen.through.date < '2026-05-28').toBe(true)
  expect(remit.stop).toMatchObject({
    day: { date: '2026-05-28' },
    blockedBy: 'sweptTransfer',
    readAt: { blockNumber, timestamp: expect.any(Number) },
    issues: [
      { code: 'REMIT_BLOCKED_BY_TRANSFER', subscriber: dave, subscriptionId: quarterly.id, token: blocking },
    ],
  })
  for (const { day, verdict, blockedBy } of charges) {
    if (day.date <= remit.seen.through.date) continue
    expect([day.date, verdict, blockedBy]).toEqual(
      day.date < '2026-05-28' ? [day.date, 'pays', null] : [day.date, 'waits', 'sweptTransfer'],
    )
  }
  expect(charges.filter(({ verdict }) => verdict === 'waits').length).toBeGreaterThan(5)
})

describe('of what was simulated up to a day', () => {
  const seen: AccountRemitForecast = {
    madeAt: {
      number: 7,
      hash: `0x${'07'.repeat(32)}`,
      parentHash: `0x${'06'.repeat(32)}`,
      timestamp: 1_772_000_000,
    },
    calls: 64,
    through: 20_600,
  }
  const blocked: BlockedCharge = {
    subscriptionId: quarterly.id,
    subscriber: dave,
    provider: getAddress(provider),
    token: blocking,
    dayNumber: 20_650,
    blockNumber: 7,
    blockTimestamp: 1_772_000_000,
  }
  const asked: number[][] = []
  const index: AskIndex = (query) =>
    query(
      fakeQueries({
        blockedCharges: async (untilDay, first, fromDay = 0) => {
          asked.push([fromDay, untilDay, first])
          return [blocked]
        },
      }),
    )
  const range = { nextUncheckedDay: 20_500, throughDay: 20_700 }

  it('asks the sweep only for the days behind', async () => {
    asked.length = 0
    expect(await withSweep(seen, range, index)).toMatchObject({
      stop: { dayNumber: 20_650, blockedBy: 'sweptTransfer' },
      sweptAt: { blockNumber: 7, timestamp: 1_772_000_000 },
    })
    await withSweep({ ...seen, through: undefined }, range, index)
    expect(asked).toEqual([
      [20_601, 20_700, 1],
      [20_500, 20_700, 1],
    ])
  })

  it('asks nothing where all was simulated, or where the simulation saw remit stop', async () => {
    asked.length = 0
    const whole = { ...seen, through: 20_700 }
    const stopped: AccountRemitForecast = {
      ...seen,
      stop: { dayNumber: 20_601, blockedBy: 'gasCap', issues: [] },
    }
    expect(await withSweep(whole, range, index)).toBe(whole)
    expect(await withSweep(stopped, range, index)).toBe(stopped)
    expect(asked).toEqual([])
  })

  it('says no more than was simulated where there is no index, or nobody is known', async () => {
    expect(await withSweep(seen, range, async () => undefined)).toBe(seen)
    expect(await withSweep(seen, range, (query) => query(fakeQueries()))).toBe(seen)
  })
})
