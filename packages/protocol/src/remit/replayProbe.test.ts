import {
  ann,
  backlog,
  bob,
  caller,
  contract,
  monday,
  provider,
  token,
} from '@remit/testing/support/models/remitBacklog'
import { encodeErrorResult } from 'viem'
import { describe, expect, it } from 'vitest'
import { forecastFromProbe } from './forecastFromProbe.ts'
import type { CountedRemit, RemitFailure } from './observeRemit.ts'
import type { RemitBacklog } from './remitState.ts'

const SYSTEM_FEE = 11_000n
const errorAbi = [{ type: 'error', name: 'Error', inputs: [{ type: 'string' }] }] as const
const NOT_DUE: RemitFailure = {
  data: encodeErrorResult({ abi: errorAbi, errorName: 'Error', args: ['6'] }),
  ranOutOfGas: false,
}

/** Two weeks of one weekly subscription with two subscribers, whose fee of 20 a period is in their balances. */
const twoWeeks = backlog([{ id: 9, subscribers: [ann, bob] }], { currentDay: monday + 7 })

const gainOf = (amountRaw: bigint) => [{ token, amountRaw }]

function counted(
  calls: readonly CountedRemit[],
  changes: Partial<RemitBacklog> = {},
  { revert, isHidden = false }: { revert?: RemitFailure; isHidden?: boolean } = {},
) {
  const probe = { method: 'eth_call', calls, revert } as const
  return forecastFromProbe({ ...twoWeeks, ...changes }, { probe, systemFee: SYSTEM_FEE, isHidden })
}

const onDays = (...days: number[]) => days.map((nextUncheckedDay) => ({ nextUncheckedDay, gained: [] }))

describe('calls without logs', () => {
  it('get nowhere where a page holds nothing, and the day stays the same', () => {
    expect(counted(onDays(monday, monday), { maxRemits: 0 })).toMatchObject({
      seenCalls: 0,
      forecast: { stalled: { dayNumber: monday, reason: 'maxRemits' } },
    })
    const later = counted(onDays(monday + 7, monday + 7), { maxRemits: 0 })
    expect(later.forecast.stalled?.dayNumber).toBe(monday + 7)
    expect(counted(onDays(monday, monday)).forecast.stalled).toBeUndefined()
  })

  it('are told by their number alone where no place fits', () => {
    const { steps, gaps } = counted(onDays(monday + 3))
    expect(gaps).toEqual(['days', 'unseen'])
    const nothing = { charges: [], transfers: [], callerFees: [], skipped: [] }
    expect(steps).toEqual([{ dayNumber: monday + 3, ...nothing, nextUncheckedDay: monday + 3 }])
  })

  it('go on by the rules behind what they gained', () => {
    const { forecast, gaps, seenCalls } = counted([{ nextUncheckedDay: monday + 1, gained: gainOf(40n) }])
    expect([gaps, seenCalls]).toEqual([['counted'], 1])
    expect(forecast.callerFees).toEqual(gainOf(80n))
    // The system's share is on where the caller has so much less.
    const shared = counted([{ nextUncheckedDay: monday + 1, gained: gainOf(36n) }])
    expect(shared.forecast.callerFees).toEqual(gainOf(72n))
  })

  it('begin at the place of a page that broke off, in whatever order tokens are told', () => {
    const other = '0x00000000000000000000000000000000000000ff'
    const gained = [{ token: other, amountRaw: 0n }, ...gainOf(20n)] as const
    const { forecast, gaps } = counted([{ nextUncheckedDay: monday + 1, gained }])
    expect(gaps).toEqual(['counted'])
    expect(forecast.days.map(({ subscribers }) => subscribers)).toEqual([1, 2])
  })

  it.each([
    ['somebody else', caller, [39n], ['days'], gainOf(39n)],
    ['somebody else, once nothing', caller, [39n, 0n], ['days', 'callerFees'], []],
    ['somebody else, once with a loss', caller, [39n, -1n], ['days', 'callerFees'], []],
    ['a subscriber that is charged', ann, [-961n], ['days', 'callerFees'], []],
    ['a subscriber that gains', ann, [7n], ['days', 'callerFees'], []],
    ['the provider', provider, [2_019n], ['days', 'callerFees'], []],
  ] as const)(
    'take what a call gave its caller for its fee only if nothing else can be in it: %s',
    (_, who, gains, gaps, callerFees) => {
      const calls = gains.map((amountRaw) => ({ nextUncheckedDay: monday + 1, gained: gainOf(amountRaw) }))
      const own = { accounts: { contract, caller: who } }
      const found = counted(calls, own, { revert: NOT_DUE, isHidden: true })
      expect(found).toMatchObject({
        gaps,
        forecast: { expectedTransactions: gains.length, callerFees, days: [] },
      })
    },
  )

  it('earn what nobody knows where no list was read', () => {
    const calls = [{ nextUncheckedDay: monday + 1, gained: gainOf(39n) }]
    const { gaps, forecast } = counted(calls, { lists: [] }, { revert: NOT_DUE, isHidden: true })
    expect([gaps, forecast.callerFees]).toEqual([['days', 'callerFees'], []])
  })
})
