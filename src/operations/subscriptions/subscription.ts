import * as z from 'zod'
import type { LastingToken } from '../../core/chainReads.ts'
import { nextDueDay } from '../../protocol/calendar.ts'
import { frequencyLabel, type SubscriptionTerms } from '../../protocol/subscription.ts'
import { Address } from '../../schema/address.ts'
import { amountFields } from '../../schema/amount.ts'
import { FrequencyLabel, FrequencyNumber } from '../../schema/frequency.ts'
import { SubscriptionId } from '../../schema/hash.ts'
import { Day } from '../../schema/numbers.ts'
import { Token } from '../../schema/token.ts'
import { toDayOrNull } from '../protocol/day.ts'
import { protocolQuantity, toToken } from '../tokens/token.ts'

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
    nextDue: Day.nullable().describe('The first day that a remit can charge it; null once it is cancelled.'),
  })
  .meta({ id: 'Subscription' })

export function toSubscription({
  terms,
  token,
  nextUncheckedDay,
}: {
  readonly terms: SubscriptionTerms
  readonly token: LastingToken
  readonly nextUncheckedDay: number
}): z.output<typeof Subscription> {
  return {
    id: terms.id,
    provider: terms.provider,
    token: toToken(token),
    cancelled: terms.cancelled,
    frequency: terms.frequency,
    frequencyLabel: frequencyLabel(terms.frequency),
    dueDay: terms.dueDay,
    ...protocolQuantity(terms.amount, token),
    nextDue: toDayOrNull(
      terms.cancelled ? undefined : nextDueDay(terms.frequency, terms.dueDay, nextUncheckedDay),
    ),
  }
}
