// Generated from src/protocol/allowance.ts by client/generate/main.ts. Do not edit.
import { type Hex, maxUint256 } from 'viem'
import { toRaw } from './amounts.ts'
import { countDueDays, LAST_DAY, nthDueDay } from './calendar.ts'
import type { SubscriptionTerms } from './subscription.ts'

/** From here on an allowance counts as without end: nobody can spend it. */
export const INFINITE_ALLOWANCE = 2n ** 255n

/** What a subscription takes of its token's allowance, and when. */
export type Charges = Pick<SubscriptionTerms, 'id' | 'amount' | 'frequency' | 'dueDay'>

export interface NeededAllowanceInput {
  /** The subscription that is about to be subscribed to. */
  readonly subscription: Charges
  /** The wallet's other active, uncancelled subscriptions in the same token. */
  readonly others: readonly Charges[]
  /** Those of the contract's entry for the token. */
  readonly decimals: number
  /** How many charges by remit the allowance shall carry, from 1. */
  readonly approvalPeriods: number
  readonly nextUncheckedDay: number
  /** What subscribe itself will take. */
  readonly firstChargeRaw: bigint
}

export interface NeededAllowance {
  /** One full period: below it subscribe and remit refuse, however little they would take. */
  readonly contractRequired: bigint
  /** What carries the first charge and every charge of all subscriptions to `coversUntil`. */
  readonly needed: bigint
  /** Day of this subscription's last covered charge. */
  readonly coversUntil: number
  /** The other subscriptions that draw on the same allowance. */
  readonly sharedWith: readonly Hex[]
}

/**
 * The allowance that a wallet needs for its next subscription, in raw units.
 *
 * An allowance belongs to the token and the contract, so every active subscription of the wallet in the
 * token counts, with one full period for each of its due days from nextUncheckedDay on. Never more than
 * 2^256 - 1, the largest there is.
 */
export function neededAllowance(input: NeededAllowanceInput): NeededAllowance {
  const { subscription, decimals, approvalPeriods, nextUncheckedDay, firstChargeRaw } = input
  const { id, amount, frequency, dueDay } = subscription
  // Past the calendar's end (nextUncheckedDay can be set to any day) there is nothing left to cover.
  const coversUntil = nthDueDay(frequency, dueDay, nextUncheckedDay, approvalPeriods) ?? LAST_DAY
  const others = input.others.filter((other) => other.id !== id)
  const dueAmount = (charges: Charges): bigint => {
    const days = countDueDays(charges.frequency, charges.dueDay, nextUncheckedDay, coversUntil)
    return BigInt(days) * toRaw(charges.amount, decimals)
  }
  const contractRequired = toRaw(amount, decimals)
  const needed = [subscription, ...others].reduce((sum, charges) => sum + dueAmount(charges), firstChargeRaw)
  return {
    contractRequired,
    needed: atMostUint256(needed),
    coversUntil,
    sharedWith: others.map((other) => other.id),
  }
}

function atMostUint256(value: bigint): bigint {
  if (value > maxUint256) return maxUint256
  return value
}

/** How far an allowance carries a subscription. */
export interface Coverage {
  /** Charges by remit that it pays for. */
  readonly periods: number
  /** Day of the last of them; `null` where it does not pay for one. */
  readonly until: number | null
}

export interface AllowanceCoverInput {
  /** The wallet's active, uncancelled subscriptions in one token. */
  readonly subscriptions: readonly Charges[]
  readonly decimals: number
  /** Raw. */
  readonly allowance: bigint
  readonly nextUncheckedDay: number
}

/**
 * How far an allowance carries each of the subscriptions that share it, by id; `null` is without end.
 *
 * All charges from nextUncheckedDay on are taken in the order of their days, within one day in the
 * order of frequencies in which remit walks, then as given; each takes one full period. The first charge
 * that the rest does not cover ends its subscription, as remit would drop it, and the others go on.
 * Balances are not asked. Without end is an allowance from 2^255 on, and one that outlasts the calendar.
 */
export function allowanceCovers(input: AllowanceCoverInput): ReadonlyMap<Hex, Coverage | null> {
  const { decimals, nextUncheckedDay } = input
  const covered = new Map<Hex, Coverage | null>(input.subscriptions.map(({ id }) => [id, null]))
  if (input.allowance >= INFINITE_ALLOWANCE) return covered

  let active: Drain[] = input.subscriptions
    .map((charges) => ({ charges, full: toRaw(charges.amount, decimals), periods: 0, until: null }))
    .sort((a, b) => a.charges.frequency - b.charges.frequency)
  let left = input.allowance
  let fromDay = nextUncheckedDay

  // Each round leaps to the first day whose charges the rest does not cover, and loses a subscription.
  while (active.length > 0) {
    const shortDay = firstShortDay(active, left, fromDay)
    left -= costOf(active, fromDay, shortDay - 1)
    for (const drain of active) advance(drain, fromDay, shortDay - 1)
    if (shortDay > LAST_DAY) break
    const dropped = new Set<Drain>()
    for (const drain of active.filter((candidate) => dueBetween(candidate, shortDay, shortDay) > 0)) {
      if (drain.full > left) {
        dropped.add(drain)
        covered.set(drain.charges.id, { periods: drain.periods, until: drain.until })
      } else {
        left -= drain.full
        advance(drain, shortDay, shortDay)
      }
    }
    active = active.filter((drain) => !dropped.has(drain))
    fromDay = shortDay + 1
  }
  return covered
}

/** A subscription as the walk through its charges leaves it. */
interface Drain {
  readonly charges: Charges
  readonly full: bigint
  periods: number
  until: number | null
}

function dueBetween({ charges: { frequency, dueDay } }: Drain, fromDay: number, toDay: number): number {
  return countDueDays(frequency, dueDay, fromDay, toDay)
}

function advance(drain: Drain, fromDay: number, toDay: number): void {
  const { frequency, dueDay } = drain.charges
  const paid = dueBetween(drain, fromDay, toDay)
  if (paid === 0) return
  drain.periods += paid
  drain.until = nthDueDay(frequency, dueDay, fromDay, paid) ?? drain.until
}

function costOf(drains: readonly Drain[], fromDay: number, toDay: number): bigint {
  return drains.reduce((sum, drain) => sum + BigInt(dueBetween(drain, fromDay, toDay)) * drain.full, 0n)
}

/** The first day by whose end the charges exceed the allowance; LAST_DAY + 1 where none does. */
function firstShortDay(drains: readonly Drain[], allowance: bigint, fromDay: number): number {
  let covered = fromDay - 1
  let short = LAST_DAY + 1
  while (short - covered > 1) {
    const middle = Math.floor((covered + short) / 2)
    if (costOf(drains, fromDay, middle) > allowance) short = middle
    else covered = middle
  }
  return short
}
