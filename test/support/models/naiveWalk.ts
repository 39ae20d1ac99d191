import { toRaw } from '@remit/protocol/amounts'
import { dueDayOn } from '@remit/protocol/calendar'
import type { ChargeScheduleInput, UpcomingCharge } from '@remit/protocol/charges/ChargeSchedule'
import { feeFill, splitToRaw, subscriptionFee } from '@remit/protocol/fees'
import { FREQUENCIES } from '@remit/protocol/subscription'
import type { Hex } from 'viem'

/** All charges up to a day as the contract makes them: day by day and one by one, with the fee balances kept. */
export function naiveWalk(input: ChargeScheduleInput, lastDay: number): UpcomingCharge[] {
  const { decimals, callerFee, nextUncheckedDay } = input
  let { allowance, balance } = input.means
  const active = input.subscriptions.map((subscription) => ({
    subscription,
    feeBalance: subscription.feeBalance,
    periodsBefore: 0,
    paidUntil: null as number | null,
  }))
  const dropped = new Set<Hex>()
  const charges: UpcomingCharge[] = []
  for (let dayNumber = nextUncheckedDay; dayNumber <= lastDay; dayNumber += 1) {
    for (const frequency of FREQUENCIES) {
      const { skipped, dueDay } = dueDayOn(dayNumber, frequency)
      for (const entry of active) {
        const { subscription, periodsBefore, paidUntil } = entry
        const { id, amount } = subscription
        const isDue = !skipped && subscription.frequency === frequency && subscription.dueDay === dueDay
        if (!isDue || dropped.has(id)) continue
        const full = toRaw(amount, decimals)
        const lacking = (means: bigint | null) => (means === null || means >= full ? 0n : full - means)
        const missing = { allowance: lacking(allowance), balance: lacking(balance) }
        const charge = { id, dayNumber, full, periodsBefore, paidUntil }
        if (missing.allowance + missing.balance > 0n) {
          dropped.add(id)
          const reason =
            missing.allowance > 0n && missing.balance > 0n
              ? 'both'
              : missing.allowance > 0n
                ? 'allowance'
                : 'balance'
          charges.push({ ...charge, asked: 0n, taken: 0n, verdict: { kind: 'fails', reason, missing } })
          continue
        }
        const fee = subscriptionFee(amount, callerFee)
        const split = feeFill(subscription)
        const isFill = entry.feeBalance <= fee
        const taken = isFill ? splitToRaw(split, decimals).total : full
        entry.feeBalance += (isFill ? split.toFeeBalance : 0n) - fee
        entry.periodsBefore += 1
        entry.paidUntil = dayNumber
        if (allowance !== null) allowance -= taken
        if (balance !== null) balance -= taken
        charges.push({ ...charge, asked: taken, taken, verdict: { kind: 'pays' } })
      }
    }
  }
  return charges
}
