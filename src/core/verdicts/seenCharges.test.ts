import type { Address, Hex } from 'viem'
import { expect, it } from 'vitest'
import { SimulationUnsupportedError, UpstreamError, UpstreamTimeoutError } from '../../errors/chain.ts'
import { dueDayOn } from '../../protocol/calendar.ts'
import type { ChainView } from '../ports/chains.ts'
import type { FutureRemits } from '../ports/remit.ts'
import type { DueMembers } from '../ports/verdicts.ts'
import { SEEN_DAYS, seeCharges } from './seenCharges.ts'

const TODAY = 20_000
const MAX_REMITS = 3
const PLAN: Hex = `0x${'1d'.repeat(32)}`
const PLAN_TOKEN: Address = '0xe7f1725E7734CE288F8367e1Bb143E90bb3F0512'
const ALICE: Address = '0x90F79bf6EB2c4f870365E785982E1f101E93b906'
const BOB: Address = '0x15d34AAf54267DB7D7c367839AAf71A00a2C6A65'

/** A chain whose remit is simulated by `future`; `asked` are the days through which it was. */
function chainWith(nextUncheckedDay: number, future: () => Promise<FutureRemits>) {
  const asked: number[] = []
  const chain = {
    today: TODAY,
    read: { protocol: async () => ({ nextUncheckedDay, maxRemits: MAX_REMITS }) },
    remit: {
      future: (_caller: Address, dayNumber: number) => {
        asked.push(dayNumber)
        return future()
      },
    },
  }
  // Safe: nothing else of a chain is asked for what remit will do.
  return { asked, chain: chain as unknown as ChainView }
}

const due = (dayNumber: number, members: number): DueMembers[] => {
  const list = dueDayOn(dayNumber, 0)
  return list.skipped ? [] : [{ frequency: 0, dueDay: list.dueDay, members }]
}

const moved = { token: PLAN_TOKEN, outcome: 'paid', toProvider: 1n, toFeeBalance: 0n } as const
const pageOfDay = {
  dayNumber: TODAY + 2,
  finished: false,
  emptyDays: 0,
  gasUsed: 1n,
  fees: [],
  charges: [{ id: PLAN, subscriber: ALICE, ...moved }],
}

const broken = (end: FutureRemits['end']): FutureRemits => ({
  calls: [pageOfDay],
  nextUncheckedDay: TODAY + 2,
  end,
  revert: undefined,
})

it('asks nothing where no day has more members due than one call charges', async () => {
  const { asked, chain } = chainWith(TODAY + 1, async () => broken('done'))
  const seen = await seeCharges(chain, due(TODAY + 2, MAX_REMITS))
  expect(seen.on(ALICE, TODAY + 2)).toBeUndefined()
  expect(asked).toEqual([])
})

it('tells whom remit charges on each day, and of those whom a page break skips that it does not', async () => {
  const { asked, chain } = chainWith(TODAY + 1, async () => broken('done'))
  const seen = await seeCharges(chain, due(TODAY + 2, MAX_REMITS + 1))
  expect(asked).toEqual([TODAY + SEEN_DAYS])
  expect(seen.on(ALICE, TODAY + 2)).toEqual([{ id: PLAN, hasFailed: false }])
  expect(seen.on(BOB, TODAY + 2)).toEqual([])
  expect(seen.on(BOB, TODAY + SEEN_DAYS)).toEqual([])
  expect(seen.on(BOB, TODAY + SEEN_DAYS + 1)).toBeUndefined()
})

it('looks where calls of the first unchecked day may have been made already', async () => {
  const { asked, chain } = chainWith(TODAY, async () => broken('done'))
  await seeCharges(chain, due(TODAY, 1))
  expect(asked).toHaveLength(1)
})

it('knows nothing of days that the simulation does not end', async () => {
  const { chain } = chainWith(TODAY + 1, async () => broken('gas'))
  const seen = await seeCharges(chain, due(TODAY + 2, MAX_REMITS + 1))
  expect(seen.on(BOB, TODAY + 1)).toEqual([])
  expect(seen.on(BOB, TODAY + 2)).toBeUndefined()
})

it.each([SimulationUnsupportedError, UpstreamError, UpstreamTimeoutError])(
  'knows nothing after a %o',
  async (Failure) => {
    const { chain } = chainWith(TODAY + 1, async () => {
      throw new Failure(31_337)
    })
    const seen = await seeCharges(chain, due(TODAY + 2, MAX_REMITS + 1))
    expect(seen.on(ALICE, TODAY + 2)).toBeUndefined()
  },
)
