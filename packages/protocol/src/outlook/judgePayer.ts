/** The verdict on each membership of a payer, which the sweep of the index stores: will its next charges be paid? */

import type { Address, Hex } from 'viem'
import { ChargeSchedule, inRemitOrder, type SeenCharge } from '../charges/ChargeSchedule.ts'
import { type ChargeVerdict, decideCharge, type Means } from '../charges/decideCharge.ts'
import type { TokenTransfer } from '../remit/remitState.ts'
import type { SubscriptionTerms } from '../subscription.ts'

/** All memberships of one payer in one token: they share its balance and allowance. */
export interface JudgedPayer {
  readonly account: Address
  /** `feeBalance` is in protocol units. */
  readonly memberships: readonly { readonly terms: SubscriptionTerms; readonly feeBalance: bigint }[]
  /** Ids in the order of their due lists, for those that share one. */
  readonly dueOrder: readonly Hex[]
  readonly token: { readonly address: Address; readonly decimals: number; readonly paused: boolean }
  readonly means: Means
  /**
   * The account's charges that remit makes on a day, in its order, as a simulation of remit has shown. `undefined` for
   * days that it did not show: there remit counts as reaching every due charge.
   */
  readonly chargesOn?: ((dayNumber: number) => readonly SeenCharge[] | undefined) | undefined
}

/** What is the same for all payers. */
interface JudgedAhead {
  readonly contract: Address
  /** The contract's factor over 10000. */
  readonly callerFee: bigint
  /** The first day that remit has not finished (unix time / 86400). */
  readonly nextUncheckedDay: number
  /** A membership's charges up to this day, itself included, are listed; its first one even if it comes later. */
  readonly throughDay: number
}

/** The charges of one membership, if the token accepts every transfer. */
export interface Judgement {
  /** The first due day; `null` where none comes. */
  readonly firstDay: number | null
  /** One letter for each charge, in order: P pays, F pays and fills the fee balance, X fails, S is skipped. */
  readonly charges: string
  /** The X; `null` where there is none. Amounts are raw. */
  readonly trouble: {
    /** Also `balance` for a token that takes more than it logs. Then nobody knows what is missing, and it is 0. */
    readonly kind: 'allowance' | 'balance' | 'both'
    readonly dayNumber: number
    readonly missingAllowance: bigint
    readonly missingBalance: bigint
  } | null
  /** The first charge that pays, and what it moves. Trying it shows whether the token refuses it. */
  readonly firstPaid: FirstPaid | null
}

interface FirstPaid {
  readonly dayNumber: number
  /** How many charges come before it: its letter's index in `charges`. */
  readonly chargesBefore: number
  readonly transfers: readonly TokenTransfer[]
}

/** A judgement while it is made, with the fee balance that the charges so far have left. */
interface Running {
  readonly terms: SubscriptionTerms
  feeBalance: bigint
  firstDay: number | null
  charges: string
  trouble: Judgement['trouble']
  firstPaid: FirstPaid | null
}

const PASSED = { kind: 'skipped' } as const

/** For charges that are known to pay: what they move does not depend on the means. */
const UNLIMITED: Means = { allowance: null, balance: null }

/**
 * The judgement on each membership, by subscription id: goes through all charges of a payer in one token as remit will take them, if
 * nothing else changes from today on. Remit passes over those of a paused token.
 */
export function judgePayer(payer: JudgedPayer, ahead: JudgedAhead): ReadonlyMap<Hex, Judgement> {
  const { memberships, dueOrder, token, means, chargesOn } = payer
  const { callerFee, nextUncheckedDay } = ahead
  const running = new Map<Hex, Running>(
    memberships.map(({ terms, feeBalance }) => [
      terms.id,
      { terms, feeBalance, firstDay: null, charges: '', trouble: null, firstPaid: null },
    ]),
  )
  const subscriptions = inRemitOrder(
    memberships.map(({ terms, feeBalance }) => ({ ...terms, feeBalance })),
    dueOrder,
  )
  const { decimals } = token
  const schedule = new ChargeSchedule<typeof PASSED>({
    subscriptions,
    decimals,
    callerFee,
    means,
    nextUncheckedDay,
    remitOn: (dayNumber) => {
      if (token.paused) return { charges: [], others: PASSED }
      const seen = chargesOn?.(dayNumber)
      return seen && { charges: seen, others: PASSED }
    },
  })
  /** Memberships whose first charge has not come yet. */
  let waiting = running.size
  // Until each membership has had its first charge, which comes within a year. But the administrator can set the contract to a day near the
  // calendar's end, after which none comes: so two years ahead at most.
  for (let lastDay = Math.max(ahead.throughDay, nextUncheckedDay); ; lastDay += 1) {
    for (const { id, dayNumber, verdict } of schedule.through(lastDay)) {
      const state = running.get(id)
      if (state === undefined) throw new RangeError(`a charge of ${id}, which was not asked for`)
      if (state.firstDay === null) waiting -= 1
      else if (dayNumber > ahead.throughDay) continue
      noteCharge(state, dayNumber, verdict)
    }
    if (waiting === 0 || lastDay >= nextUncheckedDay + 2 * 366) return running
  }

  function noteCharge(state: Running, dayNumber: number, verdict: ChargeVerdict | typeof PASSED): void {
    state.firstDay ??= dayNumber
    if (verdict.kind === 'skipped') {
      state.charges += 'S'
      return
    }
    if (verdict.kind === 'fails') {
      const { allowance: missingAllowance, balance: missingBalance } = verdict.missing
      state.charges += 'X'
      const kind = verdict.reason === 'unexplained' ? 'balance' : verdict.reason
      state.trouble = { kind, dayNumber, missingAllowance, missingBalance }
      return
    }
    const { amount, frequency, provider } = state.terms
    const moved = decideCharge(
      { amount, frequency, feeBalance: state.feeBalance },
      { decimals, callerFee },
      UNLIMITED,
    )
    const chargesBefore = state.charges.length
    state.charges += moved.isFeeFill ? 'F' : 'P'
    state.feeBalance = moved.feeBalance
    if (state.firstPaid !== null) return
    const transfer = { token: token.address, from: payer.account }
    const transfers = [
      ...(moved.isFeeFill ? [{ ...transfer, to: ahead.contract, amountRaw: moved.toFeeBalance }] : []),
      // A weekly charge that fills the fee balance makes no transfer to the provider.
      ...(moved.isFeeFill && frequency === 0
        ? []
        : [{ ...transfer, to: provider, amountRaw: moved.toProvider }]),
    ]
    state.firstPaid = { dayNumber, chargesBefore, transfers }
  }
}
