import { nthDueDay } from '@remit/protocol/calendar'
import type { HistoryQueries } from '../../ports/history.ts'
import type {
  ChargedMembership,
  ExpectedCharges,
  KnownVerdict,
  TroubledMembership,
  Verdict,
  VerdictScope,
} from '../../ports/verdicts.ts'
import type { AsOf } from '../../schema/envelope.ts'
import type { JudgedMembership } from '../../verdicts/readVerdicts.ts'

// A sweep (the indexer's pass in the background) keeps a verdict for each membership in the index: which of its charges to come pay
// and which fail. For an outlook with `fresh: true`, memberships are read again at the answer's block:
// 1. `queryMembershipsToReread` says which, within the index's snapshot.
// 2. `readVerdicts` (verdicts/) reads them from the chain; providerOutlook.ts calls it.
// 3. `replaceVerdicts` puts what was read in the place of the older verdicts.
// A payer is a wallet with one token: its memberships share money, so they are read together or not at all.

/** How many memberships are read again for one answer at most. */
export const MOST_REREAD = 2_000

/** The memberships that one answer reads again. */
export interface MembershipsToReread {
  /** Memberships of the scope without a verdict, then those that are charged within the outlook by their known one; MOST_REREAD at most. */
  readonly known: readonly KnownVerdict[]
  /** How many of both the scope has. */
  readonly total: number
  /** What is read: all memberships of as many payers of `known` as may be read for one answer, also memberships of other providers. */
  readonly memberships: readonly ChargedMembership[]
}

export const NOTHING_TO_REREAD: MembershipsToReread = { known: [], total: 0, memberships: [] }

/** Finds the memberships to read again: all of a scope that are charged up to a day, within bounds. */
export async function queryMembershipsToReread(
  scope: VerdictScope,
  throughDay: number,
  history: HistoryQueries,
): Promise<MembershipsToReread> {
  const { rows, total } = await history.chargedThrough(scope, throughDay, MOST_REREAD)
  const payers = rows.map(({ subscriber, terms }) => ({ subscriber, token: terms.token }))
  return { known: rows, total, memberships: wholePayers(await history.chargedMemberships(payers)) }
}

/** The memberships of as many payers as may be read for one answer: each payer's all, or none. */
function wholePayers(memberships: readonly ChargedMembership[]): readonly ChargedMembership[] {
  const keyOf = ({ subscriber, terms }: ChargedMembership) => `${subscriber}:${terms.token}`
  const counts = new Map<string, number>()
  for (const membership of memberships) {
    counts.set(keyOf(membership), (counts.get(keyOf(membership)) ?? 0) + 1)
  }
  const chosen = new Set<string>()
  let sum = 0
  for (const [key, count] of counts) {
    if (sum + count > MOST_REREAD) continue
    chosen.add(key)
    sum += count
  }
  return memberships.filter((membership) => chosen.has(keyOf(membership)))
}

/** An outlook's rows, with fresh verdicts in the place of older ones. */
export interface Refreshed {
  readonly expected: readonly ExpectedCharges[]
  /** Memberships that were in trouble by the index's verdict, or are by the fresh one (`rereadVerdict`): earliest first. */
  readonly troubled: readonly TroubledMembership[]
  /** A membership's fresh verdict; `undefined` if it was not read again. */
  rereadVerdict(membership: ChargedMembership): Verdict | undefined
  /** Memberships that are charged within the outlook and were not read again. */
  readonly unread: number
}

/**
 * Replaces older verdicts by fresh ones, in the counts of expected charges and in the list of those in trouble.
 * @param rows what the index knows
 * @param judged the memberships that were read again
 */
export function replaceVerdicts(
  rows: { readonly expected: readonly ExpectedCharges[]; readonly troubled: readonly TroubledMembership[] },
  { known, total }: MembershipsToReread,
  judged: readonly JudgedMembership[],
  { throughDay, asOf }: { readonly throughDay: number; readonly asOf: AsOf },
): Refreshed {
  const verdicts = new Map<string, Verdict>()
  for (const each of judged) if (each.verdict !== undefined) verdicts.set(membershipKey(each), each.verdict)
  const counts = new Map(rows.expected.map((charges) => [countKey(charges), { ...charges }]))
  const addCharges = ({ terms }: ChargedMembership, verdict: KnownCharges, count: 1 | -1) => {
    for (const charge of chargesOf(terms, verdict)) {
      if (charge.dayNumber > throughDay) break
      const key = countKey({ terms, ...charge })
      const before = counts.get(key) ?? { terms, ...charge, count: 0 }
      counts.set(key, { ...before, count: before.count + count })
    }
  }
  /** Rows that the index lists already: they are not added again. */
  const listed = new Set(rows.troubled.map(membershipKey))
  const troubled = [...rows.troubled]
  let rereadCount = 0
  for (const membership of known) {
    const verdict = verdicts.get(membershipKey(membership))
    if (verdict === undefined) continue
    rereadCount += 1
    // The old verdict's charges go out of the counts (`membership` carries them), and the fresh one's come in.
    addCharges(membership, membership, -1)
    addCharges(membership, verdict, 1)
    const { trouble } = verdict
    if (trouble === null || trouble.dayNumber > throughDay || listed.has(membershipKey(membership))) continue
    const { blockNumber, timestamp: blockTimestamp } = asOf
    const { subscriber, terms, subscribedAt } = membership
    troubled.push({ subscriber, terms, subscribedAt, trouble, blockNumber, blockTimestamp })
  }
  return {
    expected: [...counts.values()].filter(({ count }) => count > 0),
    troubled: troubled.toSorted(byPlace),
    rereadVerdict: (membership) => verdicts.get(membershipKey(membership)),
    unread: total - rereadCount,
  }
}

/** A row's place in the list of those in trouble, as text: the list's cursor, which the index's `troubledMemberships` reads too. */
export function placeOf({ trouble, subscriber, terms }: TroubledMembership): string {
  return `${trouble.dayNumber}-${subscriber.toLowerCase()}-${terms.id}`
}

function byPlace(one: TroubledMembership, other: TroubledMembership): number {
  const days = one.trouble.dayNumber - other.trouble.dayNumber
  return days !== 0 ? days : placeOf(one) < placeOf(other) ? -1 : 1
}

/** Whether a row comes behind the page before. @param after the nextCursor of that page */
export function isBehind(row: TroubledMembership, after: string | undefined): boolean {
  if (after === undefined) return true
  const day = Number(after.slice(0, after.indexOf('-')))
  const { dayNumber } = row.trouble
  return dayNumber > day || (dayNumber === day && placeOf(row) > after)
}

type KnownCharges = Pick<KnownVerdict, 'firstDay' | 'charges'>

/** The letters of `Verdict.charges`, which says what each means (ports/verdicts.ts). */
const KINDS = new Map<string, ExpectedCharges['kind']>([
  ['P', 'paid'],
  ['F', 'filled'],
  ['X', 'failed'],
  ['B', 'blocked'],
  ['S', 'skipped'],
])

/** The charges that a verdict lists, earliest first: one for each letter, each on the next due day; none for a verdict that is not there. */
function* chargesOf(
  { frequency, dueDay }: ChargedMembership['terms'],
  { firstDay, charges }: KnownCharges,
): Generator<Pick<ExpectedCharges, 'dayNumber' | 'kind'>> {
  if (firstDay === null || charges === null) return
  for (const [index, letter] of [...charges].entries()) {
    const dayNumber = nthDueDay(frequency, dueDay, firstDay, index + 1)
    const kind = KINDS.get(letter)
    if (dayNumber === undefined || kind === undefined) return
    yield { dayNumber, kind }
  }
}

function membershipKey({ subscriber, terms }: ChargedMembership): string {
  return `${subscriber}:${terms.id}`
}

function countKey({ terms, dayNumber, kind }: Omit<ExpectedCharges, 'count'>): string {
  return `${terms.id}:${dayNumber}:${kind}`
}
