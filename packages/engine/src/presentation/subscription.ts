import { dueSchedule, MOST_OVERDUE } from '@remit/protocol/dueSchedule'
import { frequencyLabel, type SubscriptionTerms } from '@remit/protocol/subscription'
import * as z from 'zod'
import type { LastingToken } from '../ports/chainReads.ts'
import { amountFields, Token } from '../schema/amount.ts'
import { Address, SubscriptionId } from '../schema/hex.ts'
import { Day, FrequencyLabel, FrequencyNumber } from '../schema/numbers.ts'
import { toDay, toDayOrNull } from './day.ts'
import { protocolQuantity, toToken } from './token.ts'

/** A subscription as every answer states it. */
export const Subscription = z
  .object({
    id: SubscriptionId,
    provider: Address,
    token: Token,
    cancelled: z.boolean(),
    frequency: FrequencyNumber,
    frequencyLabel: FrequencyLabel,
    dueDay: z.int().describe('Day of the week (Monday is 1), month, quarter or year on which remit charges.'),
    ...amountFields,
    nextDue: Day.nullable().describe(
      'The first due day, today or later, that remit has not checked; null once cancelled.',
    ),
    overdue: z
      .array(Day)
      .max(MOST_OVERDUE)
      .describe(`Due days before today that remit has not checked yet: the oldest, ${MOST_OVERDUE} at most.`),
    overdueCount: z.int().min(0).describe('Overdue days in all.'),
  })
  .meta({ id: 'Subscription' })

/** @param today the day of the chain's clock */
export function toSubscription(
  {
    terms,
    token,
    nextUncheckedDay,
  }: {
    readonly terms: SubscriptionTerms
    readonly token: LastingToken
    readonly nextUncheckedDay: number
  },
  today: number,
): z.output<typeof Subscription> {
  const { nextDue, overdue, overdueCount } = dueSchedule(terms, { nextUncheckedDay, today })
  return {
    id: terms.id,
    provider: terms.provider,
    token: toToken(token),
    cancelled: terms.cancelled,
    frequency: terms.frequency,
    frequencyLabel: frequencyLabel(terms.frequency),
    dueDay: terms.dueDay,
    ...protocolQuantity(terms.amount, token),
    nextDue: toDayOrNull(nextDue ?? undefined),
    overdue: overdue.map(toDay),
    overdueCount,
  }
}
