import { type Address, encodeErrorResult, getAddress, type Hex, numberToHex, stringToHex } from 'viem'
import { describe, expect, it } from 'vitest'
import { forecastFromProbe } from './forecastFromProbe.ts'
import type { ObservedRemit, RemitFailure, RemitProbe } from './observeRemit.ts'
import type { RemitBacklog } from './remitState.ts'

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
const panicAbi = [{ type: 'error', name: 'Panic', inputs: [{ type: 'uint256' }] }] as const

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
    expect(outlook(probed([quiet])).gaps).toEqual(['systemFee'])
    const unseen: RemitProbe = { method: 'eth_call', calls: [], revert: undefined }
    expect(outlook(unseen).gaps).toEqual(['systemFee'])
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

  it('says nothing of the rest where nothing is left, whatever was seen', () => {
    const today = { ...backlog, currentDay: DAY }
    const probe = probed([call({ charges: [paid(ann), paid(bob)] })])
    const options = { systemFee: SYSTEM_FEE, isHidden: false }
    expect(forecastFromProbe(today, { ...options, probe }).gaps).toEqual([])
  })
})

describe('a call that reverts', () => {
  const out = (given: Partial<RemitFailure>) => ({ data: '0x', ranOutOfGas: true, ...given }) as const
  const behind = (
    calls: readonly ObservedRemit[],
    revert: RemitFailure,
    changes: Partial<RemitBacklog> = {},
  ) =>
    forecastFromProbe(
      { ...backlog, ...changes },
      { probe: { method: 'eth_simulateV1', calls, revert }, systemFee: SYSTEM_FEE, isHidden: false },
    )

  it('comes with the rest of its day by the rules, whatever a page holds', () => {
    const data = reverted('blocked')
    const revert = { data, ranOutOfGas: false }
    const { unfinished } = behind([call()], revert, { maxRemits: 2 })
    expect(unfinished).toMatchObject({ dayNumber: DAY + 7, nextUncheckedDay: DAY + 8 })
    expect(
      behind([], revert, { maxRemits: 1 }).unfinished?.charges.map(({ subscriber }) => subscriber),
    ).toEqual([bob, ann])
    const unread = { probe: probed([call()], data), systemFee: SYSTEM_FEE, isHidden: false, isRead: false }
    expect(forecastFromProbe({ ...backlog, lists: [] }, unread)).toMatchObject({
      revert: { data },
      unfinished: undefined,
      seenCalls: 1,
    })
  })

  it('may only mean the node’s own limit where it ran out of gas behind others', () => {
    expect(behind([call()], out({}))).toMatchObject({
      revert: undefined,
      gaps: [],
      forecast: { expectedTransactions: 2 },
    })
    expect(behind([call()], out({ gasNeeded: 30_000_000n })).revert).toEqual(out({ gasNeeded: 30_000_000n }))
    expect(behind([], out({})).revert).toEqual(out({}))
    // It says that nothing is due, and may not have come so far.
    expect(behind([], out({ data: NOT_DUE })).revert).toEqual(out({ data: NOT_DUE }))
  })

  it('is no end of what is due where another rule of the contract speaks', () => {
    const data = reverted('9')
    expect(behind([call()], { data, ranOutOfGas: false }).revert).toEqual({ data, ranOutOfGas: false })
  })

  const listing = (unsubscribedCount: number): Partial<RemitBacklog> => ({
    lists: backlog.lists.map((list) => ({
      ...list,
      entries: list.entries.map((entry) => ({ ...entry, unsubscribedCount })),
    })),
  })
  const panic = (code: bigint) => {
    const data = encodeErrorResult({ abi: panicAbi, errorName: 'Panic', args: [code] })
    return { data, ranOutOfGas: false }
  }

  it('is the contract’s own stall where more are listed than there are subscribers', () => {
    const stalled = { reason: 'listedExceedSubscribers' }
    expect(behind([], panic(0x11n), listing(3)).forecast.stalled).toEqual({ ...stalled, dayNumber: DAY })
    const asMany = behind([], panic(0x11n), listing(2))
    expect([asMany.revert, asMany.forecast.stalled]).toEqual([panic(0x11n), undefined])
    expect(behind([], panic(0x12n), listing(3)).revert).toEqual(panic(0x12n))
    expect(
      behind([], { data: reverted('9'), ranOutOfGas: false }, listing(3)).forecast.stalled,
    ).toBeUndefined()
  })

  it('is a stack of empty days from a hundred of them on, and names the day that is due behind them', () => {
    // The 244th day of the year.
    const yearly = backlog.lists.map((list) => ({
      ...list,
      frequency: 3 as const,
      dueDay: 244,
      entries: list.entries.map((entry) => ({
        ...entry,
        terms: { ...entry.terms, frequency: 3 as const, dueDay: 244 },
      })),
    }))
    const silent = { data: '0x', ranOutOfGas: false } as const
    const from = (days: number) => ({ lists: yearly, nextUncheckedDay: DAY - days })
    expect(behind([], silent, from(100)).forecast.stalled).toEqual({
      dayNumber: DAY - 100,
      reason: 'emptyDays',
      dueDayNumber: DAY,
    })
    expect(behind([], out({}), from(100)).forecast.stalled).toMatchObject({ reason: 'emptyDays' })
    const short = behind([], silent, from(99))
    expect([short.revert, short.forecast.stalled]).toEqual([silent, undefined])
    // Without a revert, how many one call can walk is not known.
    const far = { ...backlog, lists: yearly, currentDay: DAY + 365 }
    const { gaps, forecast } = forecastFromProbe(far, {
      probe: probed([call()]),
      systemFee: SYSTEM_FEE,
      isHidden: false,
    })
    expect(gaps).toEqual(['unseen'])
    expect([forecast.expectedTransactions, forecast.stalled]).toEqual([1, undefined])
  })
})
