import type { Hex } from 'viem'
import { toRaw } from '../amounts.ts'
import { countDueDays, LAST_DAY, nthDueDay } from '../calendar.ts'
import type { ChargedSubscription } from '../charges/ChargeAmounts.ts'
import type { Means } from '../charges/decideCharge.ts'
import { type Coverage, type CoverageById, coverageOf } from './coverage.ts'

/** How many charges after the first one today's balance should pay for. */
const CARRIED_CHARGES = 3

export interface SubscribeEffectInput {
  /** All of the wallet's subscriptions in the token, in remit's order; the new one with its first fee balance. */
  readonly subscriptions: readonly ChargedSubscription[]
  /** The id of the new subscription. */
  readonly id: Hex
  readonly decimals: number
  readonly callerFee: bigint
  readonly nextUncheckedDay: number
  /** Allowance and balance before anything is approved or taken, raw. */
  readonly before: { readonly allowance: bigint; readonly balance: bigint }
  /** The allowance after the approval, raw. */
  readonly approved: bigint
  /** What subscribing takes at once, raw. */
  readonly firstChargeRaw: bigint
}

/** The coverage of one subscription, without the new one and with it. */
export interface CoverageChange {
  readonly before: Coverage
  readonly after: Coverage
}

/** A balance that is too low for the next charges. */
interface Shortfall {
  /** What all subscriptions take up to `through`, with the first charge. */
  readonly needed: bigint
  readonly missing: bigint
  /** Due day of the first charge that fails. */
  readonly by: number
  readonly failing: Hex
  /** Due day of the last charge that should be paid. */
  readonly through: number
}

export interface SubscribeEffect {
  /** How long the wallet can pay for the new subscription. */
  readonly covers: Coverage
  /** The others whose coverage changes. */
  readonly others: readonly {
    readonly id: Hex
    readonly covers: CoverageChange
    readonly allowanceCovers: CoverageChange
  }[]
  readonly shortfall: Shortfall | null
}

/** How long the wallet can pay for a new subscription, and what changes for its others in the token. */
export function subscribeEffect(input: SubscribeEffectInput): SubscribeEffect {
  const { subscriptions, id, before, approved, firstChargeRaw } = input
  const after = { allowance: less(approved, firstChargeRaw), balance: less(before.balance, firstChargeRaw) }
  const others = subscriptions.filter((subscription) => subscription.id !== id)
  const cover = (rows: readonly ChargedSubscription[], means: Means) =>
    coverageOf({ ...input, subscriptions: rows, means })
  const covered = (limits: (means: typeof after) => Means): CoveredBeforeAndAfter => ({
    before: cover(others, limits(before)),
    after: cover(subscriptions, limits(after)),
  })
  const covers = covered((means) => means)
  const allowanceCovers = covered(({ allowance }) => ({ allowance, balance: null }))
  const balanceCovers = covered(({ balance }) => ({ allowance: null, balance }))
  return {
    covers: covers.after(id),
    others: others
      .map((other) => ({
        id: other.id,
        covers: changeOf(covers, other.id),
        allowanceCovers: changeOf(allowanceCovers, other.id),
      }))
      .filter((other) => isChange(other.covers) || isChange(other.allowanceCovers)),
    shortfall: shortfallOf(input, balanceCovers),
  }
}

/** How long each is paid: the others alone before, and all with the new one after. */
interface CoveredBeforeAndAfter {
  readonly before: CoverageById
  readonly after: CoverageById
}

/** @param other one of those that were there before */
function changeOf({ before, after }: CoveredBeforeAndAfter, other: Hex): CoverageChange {
  return { before: before(other), after: after(other) }
}

/** Whether it fails sooner than before. */
export function isShortened({ before, after }: CoverageChange): boolean {
  return after.failsOn !== null && (before.failsOn === null || after.failsOn < before.failsOn)
}

/** Of the other subscriptions, only those count that would be paid without the new one. */
function shortfallOf(
  { subscriptions, id, decimals, nextUncheckedDay, before, firstChargeRaw }: SubscribeEffectInput,
  balanceCovers: CoveredBeforeAndAfter,
): Shortfall | null {
  const own = subscriptions.find((subscription) => subscription.id === id)
  if (own === undefined) throw new RangeError(`the new subscription ${id} is not among those given`)
  const through = nthDueDay(own.frequency, own.dueDay, nextUncheckedDay, CARRIED_CHARGES) ?? LAST_DAY
  const failures = subscriptions.flatMap((subscription) => {
    const { failsOn } = balanceCovers.after(subscription.id)
    const counts = subscription.id === id || isShortened(changeOf(balanceCovers, subscription.id))
    return counts && failsOn !== null && failsOn <= through ? [{ id: subscription.id, failsOn }] : []
  })
  const [first, ...rest] = failures
  if (first === undefined) return null
  const { id: failing, failsOn: by } = rest.reduce((a, b) => (b.failsOn < a.failsOn ? b : a), first)
  const needed = subscriptions.reduce((sum, { amount, frequency, dueDay }) => {
    const charges = countDueDays(frequency, dueDay, nextUncheckedDay, through)
    return sum + BigInt(charges) * toRaw(amount, decimals)
  }, firstChargeRaw)
  return { needed, missing: needed - before.balance, by, failing, through }
}

function isChange({ before, after }: CoverageChange): boolean {
  return (
    before.failsOn !== after.failsOn ||
    before.periods !== after.periods ||
    before.limitedBy !== after.limitedBy
  )
}

function less(amount: bigint, taken: bigint): bigint {
  return amount > taken ? amount - taken : 0n
}
