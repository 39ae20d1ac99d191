import type { ChargedSubscription } from '@remit/protocol/charges/decideCharge'
import type { Coverage } from '@remit/protocol/coverage'
import { ACCOUNT_STATUS_NUMBERS } from '@remit/protocol/subscription'
import * as z from 'zod'
import type { AccountMembership, AccountSubscription } from '../ports/chainReads.ts'
import { Day, StatusLabel, StatusNumber } from '../schema/numbers.ts'
import { toDay } from './day.ts'
import { Subscription, toSubscription } from './subscription.ts'
import { subscriptionText } from './subscriptionText.ts'

// How an answer writes an account's subscriptions: a row for each (`AccountRow`), and for how many charges the wallet's money
// lasts (`Covers`, `AllowanceCovers`). "Without end" in their texts: no charge up to the end of the calendar fails.

/** How long balance and allowance together pay for a subscription. */
export const Covers = z
  .object({
    periods: z.int().min(0).nullable().describe('Charges by remit that are paid; null without end.'),
    until: Day.nullable().describe('Due day of the last one; null where none is paid, and without end.'),
    limitedBy: z
      .enum(['allowance', 'balance'])
      .nullable()
      .describe('What is short for the first charge that fails: balance where both are. null without end.'),
    failsOn: Day.nullable().describe(
      'Due day of the charge that fails: remit then drops the subscriber for good. null without end.',
    ),
  })
  .meta({ id: 'Covers' })

/** How long the allowance alone pays for a subscription, however low the balance is. */
export const AllowanceCovers = z
  .object({
    periods: z.int().min(0).describe('Charges by remit that the allowance still pays for.'),
    until: Day.nullable().describe('Day of the last one; null where it pays for none.'),
  })
  .meta({ id: 'AllowanceCovers' })

/** Converts a membership for the charge schedule. */
export function toCharged({
  terms,
  feeBalance,
}: Pick<AccountMembership, 'terms' | 'feeBalance'>): ChargedSubscription {
  return { ...terms, feeBalance }
}

export function toCovers({ periods, until, limitedBy, failsOn }: Coverage): z.output<typeof Covers> {
  return {
    periods,
    until: until === null ? null : toDay(until),
    limitedBy,
    failsOn: failsOn === null ? null : toDay(failsOn),
  }
}

/** `null` where no charge fails for the allowance, as with an unlimited one. */
export function toAllowanceCovers({ periods, until }: Coverage): z.output<typeof AllowanceCovers> | null {
  return periods === null ? null : { periods, until: until === null ? null : toDay(until) }
}

/** One subscription with the account's status in it. */
export const AccountRow = z
  .object({
    subscription: Subscription,
    status: StatusNumber,
    statusLabel: StatusLabel,
    totalSubscribers: z
      .int()
      .min(0)
      .describe(
        'As the contract counts, including accounts that leave while remit is in the middle of them. If the ' +
          'answer has `index`: current subscribers only.',
      ),
  })
  .meta({ id: 'AccountSubscription' })

export function toAccountRow(
  row: AccountSubscription,
  { nextUncheckedDay, today }: { readonly nextUncheckedDay: number; readonly today: number },
): z.output<typeof AccountRow> {
  return {
    subscription: toSubscription({ terms: row.terms, token: row.token, nextUncheckedDay }, today),
    status: ACCOUNT_STATUS_NUMBERS[row.status],
    statusLabel: row.status,
    totalSubscribers: row.totalSubscribers,
  }
}

/** Whether remit still charges this membership: the account is an active subscriber, and the provider has not cancelled. */
export function isCharged({ status, terms }: AccountSubscription): boolean {
  return status === 'ACTIVE' && !terms.cancelled
}

export function rowText({ subscription, statusLabel }: z.output<typeof AccountRow>): string {
  return `${statusLabel.toLowerCase()} ${subscriptionText(subscription)}`
}
