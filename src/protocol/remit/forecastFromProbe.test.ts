import { type Address, encodeErrorResult, getAddress, type Hex, numberToHex, stringToHex } from 'viem'
import { describe, expect, it } from 'vitest'
import { forecastFromProbe } from './forecastFromProbe.ts'
import type { ObservedRemit, RemitProbe } from './observeRemit.ts'
import type { RemitBacklog } from './remitBacklog.ts'

const address = (number: number) => getAddress(numberToHex(number, { size: 20 }))
const [token, provider, caller] = [address(1), address(2), address(3)]
const [contract, ann, bob] = [address(4), address(5), address(6)]
const id: Hex = numberToHex(9, { size: 32 })
// A Monday.
const DAY = 20_332
const SYSTEM_FEE = 11_000n

/** Two weeks of one weekly subscription with two subscribers, whose fee of 20 a period is in their balances. */
const backlog: RemitBacklog = {
  currentDay: DAY + 7,
  nextUncheckedDay: DAY,
  maxRemits: 10,
  callerFee: 10_200n,
  systemFee: undefined,
  lists: [
    {
      frequency: 0,
      dueDay: 1,
      entries: [
        {
          terms: { id, amount: 1_000n, provider, token, cancelled: false, frequency: 0, dueDay: 1 },
          paused: false,
          decimals: 18,
          subscribers: [ann, bob].map((who) => ({ address: who, feeBalance: 1_000n })),
        },
      ],
    },
  ],
  funds: [ann, bob].map((account) => ({ token, account, balance: 10n ** 30n, allowance: 10n ** 30n })),
  accounts: { contract, caller },
}

const paid = (subscriber: Address) => ({ id, subscriber, dayNumber: DAY, outcome: 'paid' }) as const

function call(changes: Partial<ObservedRemit> = {}): ObservedRemit {
  return {
    dayNumber: DAY,
    emptyDays: 0,
    finished: true,
    charges: [paid(bob), paid(ann)],
    first: undefined,
    fees: [feeOf(40n)],
    ...changes,
  }
}

const feeOf = (amountRaw: bigint) => ({ token, from: contract, to: caller, amountRaw })

const probed = (calls: readonly ObservedRemit[], revert?: Hex): RemitProbe => ({
  method: 'eth_simulateV1',
  calls,
  revert: revert && { data: revert, ranOutOfGas: false },
})
const outlook = (probe: RemitProbe, isHidden = false) =>
  forecastFromProbe(backlog, { probe, systemFee: SYSTEM_FEE, isHidden })

const errorAbi = [{ type: 'error', name: 'Error', inputs: [{ type: 'string' }] }] as const
const reverted = (text: string) => encodeErrorResult({ abi: errorAbi, errorName: 'Error', args: [text] })
const NOT_DUE = reverted('6')

describe('forecastFromProbe', () => {
  it('goes on by the rules behind what was seen, the system’s part as it was seen', () => {
    const off = outlook(probed([call()]))
    expect(off).toMatchObject({ gaps: [], seenCalls: 1, forecast: { expectedTransactions: 2 } })
    expect(off.forecast.callerFees).toEqual([{ token, amountRaw: 80n }])
    const system = { token, from: contract, to: provider, amountRaw: 4n }
    const on = outlook(probed([call({ fees: [system, { ...system, to: caller, amountRaw: 36n }] })]))
    expect(on.forecast.callerFees).toEqual([{ token, amountRaw: 72n }])
  })

  it('takes from the logs what a token really paid', () => {
    const fees = [feeOf(39n)]
    const { forecast, gaps } = outlook(probed([call({ fees })], NOT_DUE))
    expect(gaps).toEqual([])
    expect(forecast.callerFees).toEqual([{ token, amountRaw: 39n }])
  })

  it('does not vouch for the fees behind it of a token that pays others than were sent', () => {
    expect(outlook(probed([call({ fees: [feeOf(39n)] })])).gaps).toEqual(['tokenFees'])
  })

  it('finds the place at which a page broke off', () => {
    const first = {
      type: 'Coordinates',
      id,
      subscriberPosition: 1,
      subscriptionPosition: 1,
      frequency: 0,
      nextUncheckedDay: DAY,
    } as const
    const { forecast, gaps } = outlook(probed([call({ charges: [paid(ann)], first, fees: [feeOf(20n)] })]))
    expect(gaps).toEqual([])
    expect(forecast.days.map(({ subscribers }) => subscribers)).toEqual([1, 2])
  })

  it('says that the rest is not known where the chain does what no rule foresees', () => {
    const strange = probed([call({ charges: [paid(ann), paid(bob)] })])
    expect(outlook(strange)).toMatchObject({ gaps: ['unseen'], forecast: { expectedTransactions: 1 } })
    expect(outlook(strange, true).gaps).toEqual(['unseen'])
  })

  it.each([
    ['somebody else', caller, 39n, ['days'], [{ token, amountRaw: 39n }]],
    ['a subscriber that is charged', ann, -961n, ['days', 'callerFees'], []],
    ['a subscriber that gains', ann, 7n, ['days', 'callerFees'], []],
    ['the provider', provider, 2_019n, ['days', 'callerFees'], []],
  ] as const)(
    'takes what a call gave its caller for its fee only if nothing else can be in it: %s',
    (_, who, amountRaw, gaps, callerFees) => {
      const own = { ...backlog, accounts: { contract, caller: who } }
      const gained = [{ token, amountRaw }]
      const calls = [{ nextUncheckedDay: DAY + 1, gained }]
      const probe: RemitProbe = { method: 'eth_call', calls, revert: { data: NOT_DUE, ranOutOfGas: false } }
      const found = forecastFromProbe(own, { probe, systemFee: SYSTEM_FEE, isHidden: true })
      expect(found).toMatchObject({ gaps, forecast: { expectedTransactions: 1, callerFees } })
    },
  )

  it('believes the chain where it says that nothing is due', () => {
    expect(outlook(probed([], NOT_DUE))).toMatchObject({
      gaps: [],
      forecast: { expectedTransactions: 0, days: [] },
    })
  })

  it('hands on a revert that is no stall of the contract’s own', () => {
    const data = reverted('blocked')
    expect(outlook(probed([call()], data))).toMatchObject({
      forecast: { expectedTransactions: 1 },
      revert: { data },
    })
  })

  it('says that the system’s part is not known where no fee was seen', () => {
    const quiet = call({ charges: [], fees: [] })
    const { gaps } = outlook(probed([quiet]))
    expect(gaps).toEqual(['systemFee'])
  })

  it('counts no call that gets nowhere', () => {
    const nowhere = call({ dayNumber: DAY + 7, finished: false, charges: [], fees: [] })
    expect(outlook(probed([call(), nowhere, nowhere]))).toMatchObject({
      seenCalls: 1,
      forecast: { expectedTransactions: 1, stalled: { dayNumber: DAY + 7, reason: 'maxRemits' } },
    })
  })

  it('reckons without the chain where it cannot be asked', () => {
    const none: RemitProbe = { method: 'none', calls: [], revert: undefined }
    expect(outlook(none)).toMatchObject({ gaps: ['unprobed'], forecast: { expectedTransactions: 2 } })
  })

  it('knows a stack of empty days by its silence', () => {
    const far = { ...backlog, nextUncheckedDay: DAY - 700, lists: [] }
    const { forecast } = forecastFromProbe(far, {
      probe: probed([], '0x'),
      systemFee: SYSTEM_FEE,
      isHidden: false,
    })
    expect(forecast.stalled).toEqual({ dayNumber: DAY - 700, reason: 'emptyDays' })
    const unread = stringToHex('what')
    expect(outlook(probed([], unread)).revert).toEqual({ data: unread, ranOutOfGas: false })
  })
})
