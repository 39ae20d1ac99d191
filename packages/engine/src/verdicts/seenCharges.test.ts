import { dueDayOn } from '@remit/protocol/calendar'
import type { Address, Hex } from 'viem'
import { expect, it } from 'vitest'
import { ForecastUnavailableError } from '../errors/chain.ts'
import type { ChainView } from '../ports/chains.ts'
import type { ChainForecast } from '../ports/forecasts.ts'
import type { DueMembers } from '../ports/verdicts.ts'
import { SEEN_DAYS, seeCharges } from './seenCharges.ts'

const TODAY = 20_000
const MAX_REMITS = 3
const PLAN: Hex = `0x${'1d'.repeat(32)}`
const ALICE: Address = '0x90F79bf6EB2c4f870365E785982E1f101E93b906'
const BOB: Address = '0x15d34AAf54267DB7D7c367839AAf71A00a2C6A65'

/** A chain whose forecast is made by `forecast`; `asked` are the days through which it was. */
function chainWith(nextUncheckedDay: number, forecast: () => Promise<ChainForecast>) {
  const asked: number[] = []
  const chain = {
    today: TODAY,
    read: { protocol: async () => ({ nextUncheckedDay, maxRemits: MAX_REMITS }) },
    forecast: (dayNumber: number) => {
      asked.push(dayNumber)
      return forecast()
    },
  }
  // Safe: nothing else of a chain is asked for what remit will do.
  return { asked, chain: chain as unknown as ChainView }
}

const due = (dayNumber: number, members: number): DueMembers[] => {
  const list = dueDayOn(dayNumber, 0)
  return list.skipped ? [] : [{ frequency: 0, dueDay: list.dueDay, members }]
}

/** Alice is charged on the day after tomorrow. */
function foreseen(beforeDay: number): ChainForecast {
  const hash: Hex = `0x${'07'.repeat(32)}`
  return {
    madeAt: { number: 7, hash, parentHash: hash, timestamp: TODAY * 86_400 },
    lastDay: TODAY + 32,
    fromDay: TODAY + 1,
    beforeDay,
    charges: {
      ids: [PLAN],
      counts: new Map([[TODAY + 2, 1]]),
      byAccount: new Map([[ALICE.toLowerCase(), JSON.stringify([[TODAY + 2, 0, 0, '2']])]]),
    },
    stop: undefined,
    calls: 1,
    through: beforeDay - 1,
  }
}
const WHOLE = foreseen(TODAY + 33)

it('asks nothing where no day has more members due than one call charges', async () => {
  const { asked, chain } = chainWith(TODAY + 1, async () => WHOLE)
  const seen = await seeCharges(chain, due(TODAY + 2, MAX_REMITS))
  expect(seen.on(ALICE, TODAY + 2)).toBeUndefined()
  expect(asked).toEqual([])
})

it('tells whom remit charges on each day, and of those whom a page break skips that it does not', async () => {
  const { asked, chain } = chainWith(TODAY + 1, async () => WHOLE)
  const seen = await seeCharges(chain, due(TODAY + 2, MAX_REMITS + 1))
  expect(asked).toEqual([TODAY + SEEN_DAYS])
  expect(seen.on(ALICE, TODAY + 2)).toMatchObject([{ id: PLAN, hasFailed: false, taken: 2n }])
  expect(seen.on(BOB, TODAY + 2)).toEqual([])
  expect(seen.on(BOB, TODAY + SEEN_DAYS)).toEqual([])
  expect(seen.on(BOB, TODAY + SEEN_DAYS + 1)).toBeUndefined()
})

it('looks where calls of the first unchecked day may have been made already', async () => {
  const { asked, chain } = chainWith(TODAY, async () => WHOLE)
  await seeCharges(chain, due(TODAY, 1))
  expect(asked).toHaveLength(1)
})

it('knows nothing of days that the forecast does not end', async () => {
  const { chain } = chainWith(TODAY + 1, async () => foreseen(TODAY + 2))
  const seen = await seeCharges(chain, due(TODAY + 2, MAX_REMITS + 1))
  expect(seen.on(BOB, TODAY + 1)).toEqual([])
  expect(seen.on(BOB, TODAY + 2)).toBeUndefined()
})

it('knows nothing where there is no forecast', async () => {
  const { chain } = chainWith(TODAY + 1, async () => {
    throw new ForecastUnavailableError(31_337)
  })
  const seen = await seeCharges(chain, due(TODAY + 2, MAX_REMITS + 1))
  expect(seen.on(ALICE, TODAY + 2)).toBeUndefined()
})
