import { ACCOUNT_STATUS_NUMBERS } from '@remit/protocol/subscription'
import * as z from 'zod'
import type { AccountSubscription } from '../ports/chainReads.ts'
import { StatusLabel, StatusNumber } from '../schema/frequency.ts'
import { Subscription, toSubscription } from './subscription.ts'
import { subscriptionText } from './subscriptionText.ts'

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

/** Whether remit still charges this membership. */
export function isCharged({ status, terms }: AccountSubscription): boolean {
  return status === 'ACTIVE' && !terms.cancelled
}

export function rowText({ subscription, statusLabel }: z.output<typeof AccountRow>): string {
  return `${statusLabel.toLowerCase()} ${subscriptionText(subscription)}`
}
