import type { Stall } from '@remit/protocol/remit/forecastRemit'
import type { RemitFailure } from '@remit/protocol/remit/observeRemit'
import { decodeRevert } from '@remit/protocol/reverts'
import type { Hex } from 'viem'
import { gasCapIssue } from '../../../errors/prepare.ts'
import { toDay } from '../../../presentation/day.ts'
import type { RemitStopCode } from '../../../schema/codes.ts'
import type { Issue } from '../../../schema/envelope.ts'
import { type RefusedTransfer, type WaysOut, wayOutFacts, wayOutSentence } from './remitWaysOut.ts'

/** Why no call of remit succeeds any more. */
export type RemitStop =
  | { readonly kind: 'stalled'; readonly stall: Stall }
  | {
      readonly kind: 'gas'
      readonly dayNumber: number
      readonly gasCap: bigint
      /** `undefined` where it could not be measured. */
      readonly gasNeeded: bigint | undefined
    }
  | {
      readonly kind: 'transfers'
      readonly dayNumber: number
      readonly refused: readonly RefusedTransfer[]
      readonly waysOut: WaysOut
    }
  | { readonly kind: 'reverts'; readonly dayNumber: number; readonly revert: RemitFailure }

type RemitStopIssue = Issue & { readonly code: RemitStopCode }

/** The most refused transfers that an answer names. */
const MOST_REFUSED = 20

/** The day that cannot be finished. Where too many empty days stop remit, that is the due day after them, which no call reaches. */
export function stoppedDay(stop: RemitStop): number {
  if (stop.kind !== 'stalled') return stop.dayNumber
  return stop.stall.dueDayNumber ?? stop.stall.dayNumber
}

/** The issues of a stop, one for each cause. */
export function stopIssues(stop: RemitStop, maxRemits: number): RemitStopIssue[] {
  switch (stop.kind) {
    case 'stalled':
      return [stalledIssue(stop.stall)]
    case 'gas':
      return [
        {
          ...gasCapIssue({ what: 'remit', ...stop, wayOut: gasWayOut(maxRemits) }),
          day: toDay(stop.dayNumber),
        },
      ]
    case 'transfers':
      return stop.refused.slice(0, MOST_REFUSED).map((refused) => refusedIssue(refused, stop))
    case 'reverts':
      return [revertedIssue(stop)]
  }
}

/** Says who can help where a remit needs more gas than a transaction may have. */
export function gasWayOut(maxRemits: number): string {
  return maxRemits > 1
    ? `The protocol’s admin can lower maxRemits, which is ${maxRemits}, with changeMaxRemits: then one call charges fewer subscribers.`
    : 'maxRemits cannot be lowered any further.'
}

const WAYS_OUT: Readonly<Record<Stall['reason'], string>> = {
  emptyDays:
    'too many empty days follow one another for one call to walk; the protocol’s admin can move on with setNextUncheckedDay',
  maxRemits:
    'maxRemits is 0, so that no page gets on; the protocol’s admin can raise it with changeMaxRemits',
  listedExceedSubscribers:
    'an unsubscribed list is larger than its subscriber set, which the contract cannot subtract; the protocol’s ' +
    'janitor can take accounts off with cleanUnsubscribeList',
  contractFunds:
    'the contract holds less of a token than it owes; anybody can send it what is missing, and the protocol’s ' +
    'admin can pause the token',
}

function stalledIssue({ dayNumber, reason, dueDayNumber }: Stall): RemitStopIssue {
  const day = toDay(dayNumber)
  return {
    code: 'REMIT_STALLED',
    message: `remit cannot get past ${day.date}: ${WAYS_OUT[reason]}.`,
    day,
    reason,
    ...(dueDayNumber === undefined ? {} : { dueDay: toDay(dueDayNumber) }),
  }
}

function refusedIssue(
  refused: RefusedTransfer,
  { waysOut }: Extract<RemitStop, { kind: 'transfers' }>,
): RemitStopIssue {
  const { transfer, data, charge, dayNumber } = refused
  const { token, from, to, amountRaw } = transfer
  const why = refusalReason(data)
  const day = toDay(dayNumber)
  const whose =
    charge === undefined
      ? `The fees of ${day.date} cannot be paid to ${to}`
      : `The charge of ${charge.subscriber} for ${charge.id} on ${day.date} cannot be made`
  return {
    code: 'REMIT_BLOCKED_BY_TRANSFER',
    message:
      `${whose}: the token ${token} refuses the transfer from ${from} to ${to}, and that reverts every remit. ` +
      `${why.message} ${wayOutSentence(waysOut, refused)}`,
    day,
    ...(charge === undefined ? {} : { subscriptionId: charge.id, subscriber: charge.subscriber }),
    token,
    transferFrom: from,
    transferTo: to,
    amountRaw: amountRaw.toString(),
    reason: why,
    ...wayOutFacts(waysOut, refused),
  }
}

function refusalReason(data: Hex | undefined): { name: string; message: string } {
  if (data === undefined) {
    return { name: 'TRANSFER_ANSWERED_FALSE', message: 'The token answered false instead of reverting.' }
  }
  const { name, message } = decodeRevert(data)
  return { name, message }
}

/** A revert that neither the rules nor a refused transfer explain. */
function revertedIssue({ dayNumber, revert }: Extract<RemitStop, { kind: 'reverts' }>): RemitStopIssue {
  const day = toDay(dayNumber)
  const { name, message } = revert.ranOutOfGas
    ? { name: 'OUT_OF_GAS', message: 'It runs out of gas.' }
    : decodeRevert(revert.data)
  return {
    code: 'REMIT_STALLED',
    message: `remit reverts at ${day.date}, whoever calls it: ${message} The protocol’s admin has to look at it.`,
    day,
    reason: 'reverts',
    revert: { name, message },
  }
}
