import type { SubscriptionTerms } from '@remit/protocol/subscription'
import { getAddress, type Hex } from 'viem'
import { expect, it } from 'vitest'
import type { KnownVerdict, Verdict } from '../../ports/verdicts.ts'
import { replaceVerdicts } from './freshVerdicts.ts'

const provider = getAddress(`0x${'a1'.repeat(20)}`)
const id: Hex = `0x${'12'.repeat(32)}`
const terms: SubscriptionTerms = {
  ...{ id, provider, token: provider, amount: 1n, cancelled: false },
  ...{ frequency: 0, dueDay: 1 },
}
const account = (digit: number) => getAddress(`0x${String(digit).repeat(40)}`)

/** Mondays. */
const [FIRST, SECOND] = [20_514, 20_521]
const asOf = { blockNumber: 9, blockHash: id, timestamp: 1 }

const known = (digit: number, charges: string | null): KnownVerdict => ({
  subscriber: account(digit),
  terms,
  firstDay: charges === null ? null : FIRST,
  charges,
  subscribedAt: 7,
})

const read = (digit: number, verdict: Verdict | undefined) => ({
  ...{ subscriber: account(digit), terms, verdict, transfers: [] },
})
const pays = (charges: string): Verdict => ({ firstDay: FIRST, charges, trouble: null })
const fails: Verdict = {
  ...{ firstDay: FIRST, charges: 'PX' },
  trouble: { kind: 'allowance', dayNumber: SECOND, missingAllowance: 1n, missingBalance: 0n },
}

it('replaces what was known by what was read, keeps the rest, and tells how many were not read', () => {
  const expected = [
    { terms, dayNumber: FIRST, kind: 'paid', count: 3 },
    { terms, dayNumber: SECOND, kind: 'paid', count: 3 },
  ] as const
  // Of six, four are looked at: one was never read before, and one cannot be read now. Each known one pays twice.
  const again = {
    known: [known(1, null), known(2, 'PPP'), known(3, 'PPP'), known(4, 'PPP')],
    total: 6,
    memberships: [],
  }
  const judged = [read(1, pays('PPP')), read(2, fails), read(3, pays('PPP')), read(4, undefined)]
  const refreshed = replaceVerdicts({ expected, troubled: [] }, again, judged, { throughDay: SECOND, asOf })
  expect(refreshed.expected.map(({ dayNumber, kind, count }) => [dayNumber, kind, count])).toEqual([
    [FIRST, 'paid', 4],
    [SECOND, 'paid', 3],
    [SECOND, 'failed', 1],
  ])
  expect(refreshed.troubled).toMatchObject([{ subscriber: account(2), trouble: { dayNumber: SECOND } }])
  expect(refreshed.unread).toBe(3)
})
