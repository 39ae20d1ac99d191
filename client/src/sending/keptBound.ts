import { type ChainTerms, toRaw } from './ChainReads.ts'
import { leastDueDays, mostDueDays } from './periodLengths.ts'

/** How far ahead dates are kept at most: a hundred years, as the service says. */
const KEPT_DAYS = 36_525

/** How many parts of a period there are, of which one can go to the fee balance, by frequency. */
const PARTS = [1n, 4n, 12n, 12n]

export interface KeptBoundInput {
  /** What is to be subscribed to. */
  readonly terms: ChainTerms
  /** The wallet's other subscriptions in the token. */
  readonly others: readonly ChainTerms[]
  readonly decimals: number
  /** What there is. */
  readonly allowance: bigint
}

/**
 * The most that an honest service could propose to keep the dates of a wallet's other subscriptions.
 *
 * It proposes what there is and the new subscription's charges up to the latest of those dates, or, where that
 * does not do, all charges of all of them. The dates themselves need a calendar; that the allowance cannot last
 * longer than this needs none. One charge of each is added: a remit may have come between its block and ours.
 */
export function keptBound({ terms, others, decimals, allowance }: KeptBoundInput): bigint {
  const draws = others.map((other) => drawOf(other, decimals))
  // The last kept day itself counts too.
  const days = Math.min(longestCarried(draws, allowance), KEPT_DAYS) + 1
  const costOf = ({ frequency, full }: Draw) => mostDueDays(frequency, days) * full
  const own = drawOf(terms, decimals)
  const beside = allowance + own.full + costOf(own) + draws.reduce((sum, { full }) => sum + full, 0n)
  const all = draws.reduce((sum, draw) => sum + costOf(draw), own.full + costOf(own))
  if (all > beside) return all
  return beside
}

/** What a subscription draws of the allowance. */
interface Draw {
  readonly frequency: number
  /** What remit asks for. */
  readonly full: bigint
  /** What a charge takes at least: where a part fills the fee balance, both parts are truncated. */
  readonly least: bigint
}

function drawOf({ amount, frequency }: ChainTerms, decimals: number): Draw {
  const parts = PARTS[frequency] ?? 1n
  const part = amount / parts
  return {
    frequency,
    full: toRaw(amount, decimals),
    least: toRaw(part, decimals) + toRaw(part * (parts - 1n), decimals),
  }
}

/**
 * So many days at most go by until an allowance has paid its last charge.
 *
 * While nothing is dropped, all of them draw on it. The first that is dropped leaves less than its own price, so
 * that from then on only cheaper ones can be paid; what that takes at most is added.
 */
function longestCarried(draws: readonly Draw[], allowance: bigint): number {
  const prices = [...new Set(draws.map(({ full }) => full))]
  const after = prices.map((price) => {
    const cheaper = draws.filter(({ full }) => full < price)
    return cheaper.length === 0 ? 0 : carriedTogether(cheaper, price - 1n)
  })
  return after.reduce((sum, days) => sum + days, carriedTogether(draws, allowance))
}

/** The days after which one of these must have been dropped. */
function carriedTogether(draws: readonly Draw[], allowance: bigint): number {
  const costOf = (days: number) =>
    draws.reduce((sum, { frequency, least }) => sum + leastDueDays(frequency, days) * least, 0n)
  let [carried, short] = [0, KEPT_DAYS]
  while (short - carried > 1) {
    const middle = Math.floor((carried + short) / 2)
    if (costOf(middle) > allowance) short = middle
    else carried = middle
  }
  return short
}
