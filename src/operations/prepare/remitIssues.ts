import type { Address, Hex } from 'viem'
import type { ChainView } from '../../core/chains.ts'
import type { TokenTransfer } from '../../protocol/ledger.ts'
import type { Stall } from '../../protocol/remitForecast.ts'
import type { RemitOutlook } from '../../protocol/remitOutlook.ts'
import type { RemitGap } from '../../protocol/remitSeen.ts'
import { decodeRevert } from '../../protocol/reverts.ts'
import type { Issue, Warning } from '../../schema/answer.ts'
import { toDay } from '../protocol/day.ts'
import type { RemitFindings } from './remitFindings.ts'

/** A transfer that stops every remit, because its token reverts or answers false. */
export interface RefusedTransfer {
  readonly transfer: TokenTransfer
  readonly data: Hex | undefined
  /** Whose charge it is part of; `undefined` for a fee. */
  readonly of: { readonly id: Hex; readonly subscriber: Address } | undefined
}

/** Refused transfers that an answer names. */
const MOST_REFUSED = 20

/** What stands against a remit now. */
export function remitIssues(chain: ChainView, { backlog, outlook, refused }: RemitFindings): Issue[] {
  const { forecast, revert } = outlook
  const next = toDay(backlog.settings.nextUncheckedDay)
  if (next.dayNumber > chain.today) {
    const message = `remit has checked every day up to today; the next one can be remitted from ${next.date} on.`
    return [{ code: 'REMIT_NOT_DUE', message, nextUncheckedDay: next }]
  }
  if (forecast.expectedTransactions > 0) return []
  if (forecast.stalled !== undefined) return [stalledIssue(forecast.stalled)]
  if (refused.length > 0) return refused.slice(0, MOST_REFUSED).map(refusedIssue)
  if (revert !== undefined) return [revertedIssue(next, revert)]
  const message = 'Nothing is due up to today: every unchecked day is empty, and remit would revert.'
  return [{ code: 'NOTHING_DUE', message, nextUncheckedDay: next }]
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

function stalledIssue({ dayNumber, reason, dueDayNumber }: Stall): Issue {
  const day = toDay(dayNumber)
  return {
    code: 'REMIT_STALLED',
    message: `remit cannot get past ${day.date}: ${WAYS_OUT[reason]}.`,
    day,
    reason,
    ...(dueDayNumber === undefined ? {} : { dueDay: toDay(dueDayNumber) }),
  }
}

function refusedIssue({ transfer, data, of }: RefusedTransfer): Issue {
  const { token, from, to, amountRaw } = transfer
  const why = refusalReason(data)
  const whose =
    of === undefined
      ? `The fees cannot be paid to ${to}`
      : `The charge of ${of.subscriber} for ${of.id} cannot be made`
  return {
    code: 'REMIT_BLOCKED_BY_TRANSFER',
    message:
      `${whose}: the token ${token} refuses the transfer from ${from} to ${to}, and that reverts every remit. ` +
      `${why.message} ${wayOut(of)}`,
    ...(of === undefined ? {} : { subscriptionId: of.id, subscriber: of.subscriber }),
    token,
    transferFrom: from,
    transferTo: to,
    amountRaw: amountRaw.toString(),
    reason: why,
  }
}

function wayOut(of: RefusedTransfer['of']): string {
  return of === undefined
    ? 'Where the token refuses the receiver and that is you, call from another wallet; where the contract holds ' +
        'too little of it, anybody can send what is missing.'
    : 'The subscriber can unsubscribe, the provider can remove it with unsubscribeByProvider or cancel the ' +
        'subscription, the protocol’s admin can pause the token.'
}

function refusalReason(data: Hex | undefined): { name: string; message: string } {
  if (data === undefined) {
    return { name: 'TRANSFER_ANSWERED_FALSE', message: 'The token answered false instead of reverting.' }
  }
  const { name, message } = decodeRevert(data)
  return { name, message }
}

/** Why a remit reverts that no rule and no single transfer explains. */
function revertedIssue(
  day: ReturnType<typeof toDay>,
  { data, ranOutOfGas }: NonNullable<RemitOutlook['revert']>,
): Issue {
  const { name, message } = ranOutOfGas
    ? { name: 'OUT_OF_GAS', message: 'It runs out of gas.' }
    : decodeRevert(data)
  return {
    code: 'REMIT_STALLED',
    message: `remit reverts at ${day.date}, whoever calls it: ${message} The protocol’s admin has to look at it.`,
    day,
    reason: 'reverts',
    revert: { name, message },
  }
}

/** What a caller should know of a remit that nothing stands against. */
export function remitWarnings({ outlook, refused }: RemitFindings): Warning[] {
  const { forecast, gaps, revert, seenCalls } = outlook
  const { expectedTransactions } = forecast
  if (expectedTransactions === 0) return []
  const more: Warning = {
    code: 'REMIT_NEEDS_MORE_TRANSACTIONS',
    message:
      `The backlog takes ${expectedTransactions} calls of remit(): one clears at most one day that has ` +
      'anything due, and at most maxRemits subscribers. Prepare again after each.',
    expectedTransactions,
  }
  return [
    ...(expectedTransactions > 1 ? [more] : []),
    ...gaps.map((gap): Warning => ({ code: 'SIMULATION_PARTIAL', message: GAPS[gap], gap, seenCalls })),
    ...(revert === undefined && forecast.stalled === undefined ? [] : [stopWarning(outlook, refused)]),
  ]
}

const GAPS: Readonly<Record<RemitGap, string>> = {
  unprobed:
    'The node cannot simulate remit: where a page broke off and whether the system takes its part of the fees ' +
    'are not known, so counts may differ within the first day and fees may be lower.',
  counted:
    'The node cannot show what a simulated remit logs: who is charged on the first day is inferred from what the ' +
    'calls pay. Their number and the fees were seen.',
  days:
    'The node cannot show what a simulated remit logs, and who is charged cannot be inferred: `days` and `failing` ' +
    'are left empty. The number of calls and the fees were seen.',
  systemFee:
    'Whether the system takes its part of the fees is not known, since no fee was paid in what was simulated: ' +
    'callerFees may be lower.',
  tokenFees:
    'A token pays its receiver other amounts than the contract sends. What was simulated counts them as received; ' +
    'callerFees of the calls behind it are counted as sent.',
  unseen:
    'Only the first calls could be simulated, and what follows cannot be reckoned: days, fees and ' +
    'expectedTransactions are the least that it takes.',
}

function stopWarning({ forecast, revert }: RemitOutlook, refused: readonly RefusedTransfer[]): Warning {
  const calls = forecast.expectedTransactions
  const why =
    forecast.stalled === undefined
      ? (refused.slice(0, MOST_REFUSED).map(refusedIssue)[0]?.message ??
        (revert === undefined ? '' : decodeRevert(revert.data).message))
      : stalledIssue(forecast.stalled).message
  return {
    code: 'SIMULATION_PARTIAL',
    message: `After ${calls} ${calls === 1 ? 'call' : 'calls'} remit stops, and what follows is not counted. ${why}`,
    gap: 'stopped',
    seenCalls: calls,
    ...(refused.length === 0 ? {} : { blockers: refused.slice(0, MOST_REFUSED).map(refusedIssue) }),
  }
}
