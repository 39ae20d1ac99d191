import { BlockingToken } from '@remit/contracts/BlockingToken'
import { FeeOnTransferToken } from '@remit/contracts/FeeOnTransferToken'
import { dateOf } from '@remit/protocol/calendar'
import { decodeLogs } from '@remit/protocol/logs/events'
import { approvedToken } from '@remit/testing/support/chain/approvedToken'
import { contractAt } from '@remit/testing/support/chain/contractAt'
import { Frequency, protocolOn } from '@remit/testing/support/chain/protocolOn'
import { useTestChain } from '@remit/testing/support/chain/useTestChain'
import { useFaultyNode } from '@remit/testing/support/nodes/faultyNode'
import { useTestService } from '@remit/testing/support/service/testService'
import { type Address, getAddress } from 'viem'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'

const chain = await useTestChain({ terms: { maxRemits: 2n } })
const protocol = protocolOn(chain)
const { admin, alice, bob, carol, dave, keeper, provider } = chain.wallets
const { usdc, dai } = chain.tokens
const weekly = await protocol.create()
const monthly = await protocol.create({ frequency: Frequency.MONTHLY, dueDay: 3, token: dai })
for (const account of [alice, bob]) await protocol.join(weekly, account)
// Enough to subscribe and for one remit, not for two.
await protocol.join(weekly, carol, { balance: 15_000_000n, allowance: 15_000_000n })
for (const account of [alice, dave]) await protocol.join(monthly, account)
const blocking = await approvedToken(chain, BlockingToken)
const blocked = await protocol.create({ token: blocking, frequency: Frequency.MONTHLY, dueDay: 20 })
await protocol.join(blocked, bob)
await protocol.send(admin, 'systemFeeActivate', [true])
await chain.keep()
const node = await useFaultyNode(chain.url)
const service = await useTestService([{ ...chain, url: node.url }])

const Fee = z.object({ token: z.object({ address: z.string() }), amountRaw: z.string() })
const Answer = z.object({
  paid: z.number(),
  failed: z.number(),
  callerFees: z.array(Fee),
  calls: z.array(
    z.object({
      dayNumber: z.number(),
      finished: z.boolean(),
      charges: z.array(
        z.object({
          subscriptionId: z.string(),
          subscriber: z.string(),
          outcome: z.string(),
          token: z.string(),
          toProvider: z.object({ amountRaw: z.string() }),
        }),
      ),
      systemFees: z.array(Fee),
    }),
  ),
  unfinished: z
    .object({ from: z.object({ dayNumber: z.number() }), because: z.string(), reason: z.unknown() })
    .nullable(),
})

const today = async () => Math.floor((await chain.now()) / 86_400)

async function simulate(ahead: number) {
  await service.caughtUp()
  const { status, body } = await service.post('/simulate/remit', {
    from: keeper,
    date: dateOf((await today()) + ahead),
  })
  expect({ status, body }).toMatchObject({ status: 200 })
  return Answer.parse(body)
}

/** Sends remit at that day until it reverts. */
async function remitAt(day: number) {
  await chain.advanceTo(day * 86_400)
  const calls: z.output<typeof Answer>['calls'][number]['charges'][] = []
  while ((await protocol.reverts(keeper, 'remit', [])) === undefined) {
    const events = decodeLogs(await protocol.send(keeper, 'remit', []), chain.contract)
    const charged = events.flatMap((event) => {
      if (event.type !== 'SubLog' || event.subscriber === undefined) return []
      const outcomes: Record<string, string> = { SubscriberPaid: 'pays', FeeFilled: 'pays', Failed: 'fails' }
      const outcome = outcomes[event.eventName]
      if (outcome === undefined) return []
      return [
        { subscriptionId: event.id, subscriber: event.subscriber, outcome, token: getAddress(event.token) },
      ]
    })
    calls.push(charged.map((charge) => ({ ...charge, toProvider: { amountRaw: '0' } })))
  }
  return calls
}

const held = (account: Address) =>
  Promise.all([usdc, dai, blocking].map((token) => protocol.balanceOf(token, account)))

it('tells what the contract then does, payer by payer, and what everybody earns', async () => {
  const [day, before, earned] = [await today(), await held(keeper), await held(provider)]
  const { calls, paid, failed, callerFees, unfinished } = await simulate(45)
  expect(unfinished).toBeNull()
  expect([calls.length > 8, paid > 15, failed]).toEqual([true, true, 1])

  const seen = await remitAt(day + 45)
  const withoutAmounts = calls.map(({ charges }) =>
    charges.map((charge) => ({ ...charge, toProvider: { amountRaw: '0' } })),
  )
  expect(withoutAmounts).toEqual(seen)
  const gained = async (account: Address, old: readonly bigint[]) =>
    (await held(account)).map((amount, index) => amount - (old[index] ?? 0n))
  const sumOf = (rows: readonly { token: string; amountRaw: string }[]) =>
    [usdc, dai, blocking].map((token) =>
      rows
        .filter((row) => row.token === getAddress(token))
        .reduce((sum, { amountRaw }) => sum + BigInt(amountRaw), 0n),
    )
  const fees = callerFees.map(({ token, amountRaw }) => ({ token: token.address, amountRaw }))
  expect(sumOf(fees)).toEqual(await gained(keeper, before))
  const charges = calls.flatMap((call) => call.charges)
  const received = charges.map(({ token, toProvider }) => ({ token, ...toProvider }))
  expect(sumOf(received)).toEqual(await gained(provider, earned))
})

it.each([true, false])(
  'tells what arrives of a token that takes a fee, with the system’s share on: %s',
  async (isOn) => {
    const token = await approvedToken(chain, FeeOnTransferToken)
    const taxed = await protocol.create({ token })
    for (const account of [alice, bob]) await protocol.join(taxed, account)
    await protocol.join(taxed, carol, { balance: 15_000_000n, allowance: 15_000_000n })
    await protocol.send(admin, 'systemFeeActivate', [isOn])
    const ofToken = () =>
      Promise.all([provider, keeper, admin].map((account) => protocol.balanceOf(token, account)))
    const [day, before] = [await today(), await ofToken()]

    const { calls, callerFees } = await simulate(30)
    await remitAt(day + 30)
    const [toProvider, toKeeper, toAdmin] = (await ofToken()).map(
      (held, index) => held - (before[index] ?? 0n),
    )

    const sum = (amounts: readonly { amountRaw: string }[]) =>
      amounts.reduce((total, { amountRaw }) => total + BigInt(amountRaw), 0n)
    const inToken = (rows: readonly z.output<typeof Fee>[]) =>
      rows.filter((row) => getAddress(row.token.address) === getAddress(token))
    const charges = calls
      .flatMap((call) => call.charges)
      .filter((charge) => getAddress(charge.token) === getAddress(token))
    expect(charges.filter(({ outcome }) => outcome === 'fails')).toHaveLength(1)
    expect(sum(charges.map((charge) => charge.toProvider))).toBe(toProvider)
    expect(sum(inToken(callerFees))).toBe(toKeeper)
    const systemFees = calls.flatMap((call) => inToken(call.systemFees))
    expect(sum(systemFees)).toBe(toAdmin)
    expect(systemFees.length > 0).toBe(isOn)
  },
)

it('stops where remit reverts, and says why', async () => {
  const token = contractAt(chain.client, blocking, BlockingToken.abi)
  await token.send(admin, 'setBlacklisted', [bob, true])
  const day = await today()
  const { calls, unfinished } = await simulate(45)
  expect(unfinished).toMatchObject({
    because: 'reverted',
    reason: { message: expect.stringContaining('blacklisted') },
  })
  const seen = await remitAt(day + 45)
  expect(calls).toHaveLength(seen.length)
  expect(unfinished?.from.dayNumber).toBe(await protocol.read('nextUncheckedDay', []))
})

describe('a node that gives little gas', () => {
  const Calls = z.tuple([
    z.object({ blockStateCalls: z.tuple([z.object({ calls: z.array(z.object({ gas: z.string() })) })]) }),
    z.unknown(),
  ])
  it('is asked for fewer calls, and the answer says what is left', async () => {
    node.fail({
      refuse: ({ method, params }) => {
        if (method !== 'eth_simulateV1') return undefined
        const [{ blockStateCalls }] = Calls.parse(params)
        const gas = blockStateCalls[0].calls.reduce((sum, call) => sum + BigInt(call.gas), 0n)
        return gas > 31_000_000n
          ? { error: { code: -38026, message: 'block gas limit exceeded by simulated calls' } }
          : undefined
      },
    })
    const { calls, unfinished } = await simulate(100)
    expect(calls).toHaveLength(16)
    expect(unfinished).toMatchObject({ because: 'calls', reason: null })
  })
})

it('names a node that cannot simulate, and never answers as if nothing were due', async () => {
  node.fail({
    refuse: ({ method }) =>
      method === 'eth_simulateV1'
        ? { error: { code: -32601, message: 'the method eth_simulateV1 does not exist' } }
        : undefined,
  })
  await chain.advanceDays(1)
  await service.caughtUp()
  const { status, body } = await service.post('/simulate/remit', {})
  expect({ status, body }).toMatchObject({ status: 502, body: { code: 'SIMULATION_UNSUPPORTED' } })
})

it('refuses a day before today or more than 366 ahead, and names the field', async () => {
  await service.caughtUp()
  const day = await today()
  for (const [input, path] of [
    [{ dayNumber: day - 1 }, 'dayNumber'],
    [{ dayNumber: day + 367 }, 'dayNumber'],
    [{ date: dateOf(day - 1) }, 'date'],
    [{ date: dateOf(day + 367) }, 'date'],
    [{ date: dateOf(day), dayNumber: day }, 'date'],
  ] as const) {
    const { status, body } = await service.post('/simulate/remit', input)
    expect({ status, body }).toMatchObject({
      status: 400,
      body: { code: 'VALIDATION_ERROR', issues: [{ path }] },
    })
  }
})
