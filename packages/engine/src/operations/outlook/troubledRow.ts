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
      'fails: remit drops the subscriber on that day. waits: remit itself reverts on that day or on an earlier one, ' +
        'and from there on charges and drops nobody. pays: only with `fresh`, where it was short and is not any more. skipped: only with ' +
        '`fresh`, where the token is paused, remit passes over the charge between two calls on that day, or made it already.',
    ),
  reason: z
    .enum(['allowance', 'balance', 'both', 'blocked'])
    .nullable()
    .describe(
      'What is too low for the charge, also where it waits; blocked: the token refuses the transfer. null, only with `fresh`, ' +
        'where nothing of this membership is in the way any more: it pays, is skipped, or waits because something else reverts remit.',
    ),
  missing: z.object({ allowance: Quantity, balance: Quantity }).describe('What is short on that day.'),
  subscribedAt: Timestamp.describe('When it last subscribed.'),
  formattedSubscribedAt: IsoTime,
  readAt: z.object({ blockNumber: BlockNumber, timestamp: Timestamp }).describe('The block of the verdict.'),
})

/**
 * The row of a membership whose coming charge will not pay, as the index's newest verdict on it says, or the one that was read again.
 * @param row the membership with the index's verdict
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
  // One refused transfer reverts remit for everybody, so its own charge waits too: nobody is dropped.
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

/** Whether the verdict that was read again says S, passed over, for the charge that the index's verdict names. */
function isSkipped({ terms, trouble }: TroubledMembership, reread: Verdict | undefined): boolean {
  if (reread === undefined || reread.firstDay === null) return false
  // `charges` has one letter for each due day from `firstDay` on (ports/verdicts.ts).
  const dueDays = countDueDays(terms.frequency, terms.dueDay, reread.firstDay, trouble.dayNumber)
  return reread.charges[dueDays - 1] === 'S'
}
