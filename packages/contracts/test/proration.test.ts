import { callOf, mineBlock } from '@remit/devchain/testing/chain/block'
import { MULTICALL3_ADDRESS } from '@remit/devchain/testing/chain/deploy'
import { contractAt } from '@remit/testing/support/chain/contractAt'
import { DETAILS, Frequency, protocolOn, tupleOf } from '@remit/testing/support/chain/protocolOn'
import { useTestChain } from '@remit/testing/support/chain/useTestChain'
import {
  decodeFunctionResult,
  encodeFunctionData,
  type Hex,
  maxUint256,
  parseEventLogs,
  prepareEncodeFunctionData,
} from 'viem'
import { describe, expect, test } from 'vitest'
import { Multicall3 } from '../generated/Multicall3.ts'
import { Subscriptions } from '../generated/Subscriptions.ts'
import { TestToken } from '../generated/TestToken.ts'
import { dayNumberOf, dueDayOf, firstCharge, proratedShare } from './model.ts'

// Uses every digit, so that a division in another order gives another result.
const AMOUNT = 12_345_678_901_234_567_891n

// Without a caller's fee no share is too low, and while remit is far ahead a due day is charged in full. So the
// first charge is exactly the prorated share.
const CALLER_FEE = 10_000n
const FAR_AHEAD = 4_000_000
const chain = await useTestChain({ terms: { callerFee: CALLER_FEE }, gasLimit: 1_000_000_000n })
const protocol = protocolOn(chain)
const { wallets, tokens, client } = chain
await protocol.send(wallets.admin, 'setNextUncheckedDay', [FAR_AHEAD])

const LAST_DUE_DAY = {
  [Frequency.WEEKLY]: 7,
  [Frequency.MONTHLY]: 28,
  [Frequency.QUARTERLY]: 90,
  [Frequency.YEARLY]: 365,
}
const FREQUENCIES = Object.values(Frequency)

interface Plan {
  readonly id: Hex
  readonly frequency: Frequency
  readonly dueDay: number
}

/** A subscription for every frequency and due day. */
const plans = await createAll(
  FREQUENCIES.flatMap((frequency) =>
    Array.from({ length: LAST_DUE_DAY[frequency] }, (_, index) => ({ frequency, dueDay: index + 1 })),
  ),
)

// The subscriber is Multicall3: one call subscribes to many plans and reads what each has cost.
const multicall = contractAt(client, MULTICALL3_ADDRESS, Multicall3.abi)
const dai = contractAt(client, tokens.dai, TestToken.abi)
await dai.send(wallets.alice, 'mint', [MULTICALL3_ADDRESS, AMOUNT * 1_000n])
await multicall.send(wallets.alice, 'aggregate', [
  [
    {
      target: dai.address,
      callData: encodeFunctionData({ ...dai, functionName: 'approve', args: [protocol.address, maxUint256] }),
    },
  ],
])
await chain.keep()

describe('the share of a period that subscribe charges', () => {
  test.each([
    ['common', 2027],
    ['leap', 2028],
  ])(
    'is the calculated one on every day of a %s year, for all frequencies',
    async (_, year) => {
      const first = dayNumberOf(year, 1, 1)
      const last = dayNumberOf(year, 12, 31)
      for (let day = first; day <= last; day += 1) {
        const chosen = plans.filter((plan) => isTelling(plan, day))
        const expected = chosen.map((plan) => ({ ...plan, ...expectedCharge(plan, day) }))
        expect(await chargesOn(day, chosen), new Date(day * 86_400_000).toISOString()).toEqual(expected)
      }
    },
    120_000,
  )

  test('is the calculated one for every due day there is, on days that are no due day themselves', async () => {
    for (const day of [dayNumberOf(2027, 7, 31), dayNumberOf(2028, 2, 29), dayNumberOf(2028, 12, 31)]) {
      const expected = plans.map((plan) => ({ ...plan, ...expectedCharge(plan, day) }))
      expect(await chargesOn(day, plans)).toEqual(expected)
    }
  })

  test('counts quarter days 91 and 92 and year day 366 into their period, on those very days', () => {
    const ninetySecond = dayNumberOf(2027, 9, 30)
    expect(dueDayOf(ninetySecond, Frequency.QUARTERLY)).toBe(92)
    // From day 92 to day 90 of the next quarter: 90 of 92 days.
    expect(proratedShare(ninetySecond, 90, 9_200n, Frequency.QUARTERLY)).toBe(9_000n)
    expect(proratedShare(dayNumberOf(2028, 12, 31), 1, 36_600n, Frequency.YEARLY)).toBe(100n)
  })
})

/** The weekly plans, and of the others those whose due day is near this day or at an end of its range. */
function isTelling({ frequency, dueDay }: Plan, day: number): boolean {
  const last = LAST_DUE_DAY[frequency]
  const today = dueDayOf(day, frequency)
  return frequency === Frequency.WEEKLY || dueDay === 1 || dueDay === last || Math.abs(dueDay - today) <= 1
}

function expectedCharge({ frequency, dueDay }: Plan, dayNumber: number) {
  const share = proratedShare(dayNumber, dueDay, AMOUNT, frequency)
  const terms = { dayNumber, dueDay, frequency, amount: AMOUNT, callerFee: CALLER_FEE }
  const { fill, toProvider } = firstCharge({ ...terms, nextUncheckedDay: FAR_AHEAD })
  expect(fill + toProvider).toBe(share)
  return { fill, toProvider }
}

// Functions' selectors are hashes: for each call they would be made again.
const subscribe = prepareEncodeFunctionData({ abi: protocol.abi, functionName: 'subscribe' })
const feeBalance = prepareEncodeFunctionData({ abi: protocol.abi, functionName: 'feeBalance' })
const providersBalance = encodeFunctionData({ ...dai, functionName: 'balanceOf', args: [wallets.provider] })

/** Subscribes to all plans in a simulated block of that day. Nothing is mined. */
async function chargesOn(day: number, chosen: readonly Plan[]) {
  const target = protocol.address
  const calls = chosen.flatMap(({ id }) => [
    { target, callData: encodeFunctionData({ ...subscribe, args: [tupleOf(id)] }) },
    { target, callData: encodeFunctionData({ ...feeBalance, args: [id, multicall.address] }) },
    { target: dai.address, callData: providersBalance },
  ])
  const { data = '0x' } = await client.call({
    to: multicall.address,
    data: encodeFunctionData({ ...multicall, functionName: 'aggregate', args: [calls] }),
    gas: 900_000_000n,
    blockOverrides: { time: BigInt(day * 86_400 + 3_600) },
  })
  const [, answers] = decodeFunctionResult({ ...multicall, functionName: 'aggregate', data })
  let received = 0n
  return chosen.map((plan, index) => {
    const fill = BigInt(answers[index * 3 + 1] ?? 0)
    const balance = BigInt(answers[index * 3 + 2] ?? 0)
    const toProvider = balance - received
    received = balance
    return { ...plan, fill, toProvider }
  })
}

async function createAll(wanted: readonly Omit<Plan, 'id'>[]): Promise<Plan[]> {
  const calls = wanted.map(({ frequency, dueDay }) =>
    callOf(wallets.provider, protocol, 'createSubscription', [
      AMOUNT,
      tokens.dai,
      DETAILS,
      frequency,
      dueDay,
    ]),
  )
  const receipts = await mineBlock(client, calls)
  return receipts.flatMap(({ logs }, index) => {
    const plan = wanted[index]
    const [log] = parseEventLogs({ abi: Subscriptions.abi, logs, eventName: 'SubLog' })
    return plan && log ? [{ id: log.args.id, ...plan }] : []
  })
}
