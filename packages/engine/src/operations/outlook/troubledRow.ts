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
 * One membership that will not pay, or was not to by the verdict of the index.
 * @param context.reread its verdict at this answer's block, with `fresh`; `undefined` if it was not read again
 * @param context.blockedDay the day from which remit reverts, if it does
 */
export function toTroubledRow(
  row: TroubledMembership,
  context: {
    readonly token: LastingToken
    readonly blockedDay: number | undefined
    readonly reread: Verdict | undefined
    readonly asOf: AsOf
  },
): z.output<typeof TroubledRow> {
  const { terms, subscriber, subscribedAt } = row
  const { token, blockedDay, reread, asOf } = context
  const trouble = reread === undefined ? row.trouble : reread.trouble
  const dayNumber = trouble?.dayNumber ?? row.trouble.dayNumber
  const waits = trouble?.kind === 'blocked' || (blockedDay !== undefined && dayNumber >= blockedDay)
  const readAt =
    reread === undefined
      ? { blockNumber: row.blockNumber, timestamp: row.blockTimestamp }
      : { blockNumber: asOf.blockNumber, timestamp: asOf.timestamp }
  return {
    ...toDay(dayNumber),
    subscriptionId: terms.id,
    subscriber,
    token: toToken(token),
    ...protocolQuantity(terms.amount, token),
    outcome: waits ? 'waits' : trouble !== null ? 'fails' : isSkipped(row, reread) ? 'skipped' : 'pays',
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
function isSkipped({ terms, trouble }: TroubledMembership, reread: Verdict | undefined): boolean {
  if (reread === undefined || reread.firstDay === null) return false
  const place = countDueDays(terms.frequency, terms.dueDay, reread.firstDay, trouble.dayNumber) - 1
  return reread.charges[place] === 'S'
}
