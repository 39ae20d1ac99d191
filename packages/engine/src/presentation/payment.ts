import { chargedOf, DROP_REASONS, PAYMENT_KINDS } from '@remit/protocol/payments/Payment'
import * as z from 'zod'
import type { LastingToken } from '../ports/chainReads.ts'
import type { IndexedPayment, LogPlace } from '../ports/history.ts'
import { Quantity, Token } from '../schema/amount.ts'
import { Address, SubscriptionId, TransactionHash } from '../schema/hex.ts'
import { BlockNumber, Day, IsoTime, Timestamp } from '../schema/numbers.ts'
import { isoTime, toDay } from './day.ts'
import { quantity, toToken } from './token.ts'

/** Where and when a row was logged. */
export const logPlaceFields = {
  timestamp: Timestamp,
  formattedTimestamp: IsoTime,
  blockNumber: BlockNumber,
  transactionHash: TransactionHash,
  logIndex: z.int().min(0),
  finalized: z.boolean().describe('Whether its block can no longer be reorganised away.'),
}

export function toLogPlace({ timestamp, blockNumber, transactionHash, logIndex, finalized }: LogPlace) {
  return {
    timestamp,
    formattedTimestamp: isoTime(timestamp),
    blockNumber,
    transactionHash,
    logIndex,
    finalized,
  }
}

/** Why remit dropped a subscriber, as answers state it. */
export const DropReason = z
  .enum(DROP_REASONS)
  .describe(
    'What was too little for a full period when remit came: by the state of the block before, and what the block moved ' +
      'earlier. The contract does not log it: unknown where no node had that state when the event was indexed, or where it ' +
      'shows neither.',
  )

/** One payment, with what each side got. */
export const Payment = z
  .object({
    kind: z
      .enum(PAYMENT_KINDS.filter((kind) => kind !== 'cancelled'))
      .describe(
        'firstCharge: subscribing. period: a full period by remit. feeFill: a period of which a part filled the fee balance. ' +
          'left: the subscriber unsubscribed; the provider got the fee balance. dropped: a charge failed, and remit ended the ' +
          'membership; the provider got the fee balance less the fees. removed: the provider ended the membership; the subscriber ' +
          'got the fee balance back. cleanedUp: the protocol’s janitor ended it after a cancellation; the subscriber got the fee ' +
          'balance back less `systemShare`.',
      ),
    subscriptionId: SubscriptionId,
    provider: Address,
    subscriber: Address.describe('The payer.'),
    token: Token,
    day: Day.describe('The due day that remit charged; for everything else the day on which it happened.'),
    charged: Quantity.describe('What left the subscriber: toProvider and toFeeBalance of a charge.'),
    toProvider: Quantity,
    toFeeBalance: Quantity,
    toSubscriber: Quantity.describe('What the subscriber got back of its fee balance.'),
    callerFee: Quantity.describe(
      'What it paid out of the fee balance to the caller of remit. Remit pays for all subscribers of a subscription at once; ' +
        'this is the payment’s equal share of that transfer.',
    ),
    systemShare: Quantity.describe(
      'What it paid out of the fee balance to the protocol; a share as callerFee is.',
    ),
    dropReason: DropReason.nullable().describe('null unless it was dropped.'),
    ...logPlaceFields,
    lastLogIndex: z.int().min(0).describe('The last log of the payment; logIndex is the first.'),
  })
  .meta({ id: 'Payment' })

/** `undefined` for a cancellation, which moves no money. */
export function toPayment(
  payment: IndexedPayment,
  token: LastingToken,
): z.output<typeof Payment> | undefined {
  const { kind, subscriptionId, provider, subscriber, dayNumber, dropReason, lastLogIndex } = payment
  if (kind === 'cancelled' || subscriber === null) return undefined
  return {
    kind,
    subscriptionId,
    provider,
    subscriber,
    token: toToken(token),
    day: toDay(dayNumber),
    charged: quantity(chargedOf(payment), token),
    toProvider: quantity(payment.toProvider, token),
    toFeeBalance: quantity(payment.toFeeBalance, token),
    toSubscriber: quantity(payment.toSubscriber, token),
    callerFee: quantity(payment.callerFee, token),
    systemShare: quantity(payment.systemShare, token),
    dropReason,
    ...toLogPlace(payment),
    lastLogIndex,
  }
}
