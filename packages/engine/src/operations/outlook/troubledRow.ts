import { countDueDays } from '@remit/protocol/calendar'
import * as z from 'zod'
import type { LastingToken } from '../../ports/chainReads.ts'
import type { TroubledMembership, Verdict } from '../../ports/verdicts.ts'
import { isoTime, toDay } from '../../presentation/day.ts'
import { protocolQuantity, quantity, toToken } from '../../presentation/token.ts'
import { amountFields, Quantity, Token } from '../../schema/amount.ts'
import type { AsOf } from '../../schema/envelope.ts'
import { Address, SubscriptionId } from '../../schema/hex.ts'
import { BlockNumber, Day, IsoTime, Timestamp } from '../../schema/numbers.ts'

export const TroubledRow = z.object({
  ...Day.shape,
  subscriptionId: SubscriptionId,
  subscriber: Address,
  token: Token,
  ...amountFields,
  outcome: z
    .enum(['fails', 'waits', 'pays', 'skipped'])
    .describe(
      'fails: remit drops the subscriber on that day. waits: remit itself reverts from there, or from a day before. pays: ' +
        'only with `fresh`, where it was short and is not any more. skipped: only with `fresh`, where the token is paused ' +
        'or a page break of remit passes over it.',
    ),
  reason: z
    .enum(['allowance', 'balance', 'both', 'blocked'])
    .nullable()
    .describe('What is too low; blocked: the token refuses the transfer. null where it pays or is skipped.'),
  missing: z.object({ allowance: Quantity, balance: Quantity }).describe('What is short on that day.'),
  subscribedAt: Timestamp.describe('When it last subscribed.'),
  formattedSubscribedAt: IsoTime,
  readAt: z.object({ blockNumber: BlockNumber, timestamp: Timestamp }).describe('The block of the verdict.'),
})

/**
 * One membership that will not pay.
 * @param context.again the verdict that was read for this answer, if it was
 */
export function toTroubledRow(
  row: TroubledMembership,
  context: {
    readonly token: LastingToken
    readonly blockedDay: number | undefined
    readonly again: Verdict | undefined
    readonly asOf: AsOf
  },
): z.output<typeof TroubledRow> {
  const { terms, subscriber, subscribedAt } = row
  const { token, blockedDay, again, asOf } = context
  const trouble = again === undefined ? row.trouble : again.trouble
  const dayNumber = trouble?.dayNumber ?? row.trouble.dayNumber
  const waits = trouble?.kind === 'blocked' || (blockedDay !== undefined && dayNumber >= blockedDay)
  const readAt =
    again === undefined
      ? { blockNumber: row.blockNumber, timestamp: row.blockTimestamp }
      : { blockNumber: asOf.blockNumber, timestamp: asOf.timestamp }
  return {
    ...toDay(dayNumber),
    subscriptionId: terms.id,
    subscriber,
    token: toToken(token),
    ...protocolQuantity(terms.amount, token),
    outcome: waits ? 'waits' : trouble !== null ? 'fails' : isSkipped(row, again) ? 'skipped' : 'pays',
    reason: trouble?.kind ?? null,
    missing: {
      allowance: quantity(trouble?.missingAllowance ?? 0n, token),
      balance: quantity(trouble?.missingBalance ?? 0n, token),
    },
    subscribedAt,
    formattedSubscribedAt: isoTime(subscribedAt),
    readAt,
  }
}

/** Whether remit now passes over the charge that was to fail. */
function isSkipped({ terms, trouble }: TroubledMembership, again: Verdict | undefined): boolean {
  if (again === undefined || again.firstDay === null) return false
  const place = countDueDays(terms.frequency, terms.dueDay, again.firstDay, trouble.dayNumber) - 1
  return again.charges[place] === 'S'
}
