/**
 * The flow of `client.remit()`: one call (`send`), or calls until nothing is due (`sendAll`). What a call has come to is read from its
 * logs. For each subscriber that it charges or drops, the contract logs `Coordinates` and `SubLog` (`Failed` for one that is dropped); for
 * each day that it finishes or breaks off in, it logs `CallerLog` last, with the caller.
 */

import { type Address, isAddressEqual } from 'viem'
import { NotReadyError } from '../../errors/RemitError.ts'
import type { Api, CheckRemitReadinessAnswer, PrepareRemitAnswer, Quantity } from '../../generated/api.ts'
import { toQuantity } from '../ChainReads.ts'
import type { Sender } from '../check/prepareHere.ts'
import { MissingEventError, WouldRevertError } from '../errors.ts'
import type { Outcome } from '../send/concludeFlow.ts'
import type {
  Conclusion,
  FlowDefinition,
  FlowRequest,
  RequestedFlow,
  SentContext,
} from '../send/FlowDefinition.ts'
import {
  decodeLog,
  type ProtocolEvent,
  SUBSCRIPTION_EVENTS,
  type SubscriptionEvent,
  transfersOf,
  type WalletLog,
} from '../wait/decodeEvents.ts'
import type { SendOptions, Wallet } from '../wallet/Wallet.ts'
import { createFlow, type Flow } from './Flow.ts'

export interface RemitFlow extends Flow<PrepareRemitAnswer, Remitted, CheckRemitReadinessAnswer> {
  /**
   * Calls remit until nothing is due any more, one transaction after the other, and gives what came of each. Ends at
   * once where nothing is due.
   *
   * @example
   * for await (const { paid, remaining } of client.remit().sendAll(wallet)) {
   *   console.log(`${paid} paid, some ${remaining} more calls of remit are needed`)
   * }
   */
  sendAll(wallet: Wallet, options?: SendOptions): AsyncGenerator<Outcome & Remitted, void>
}

type RequestedRemit = RequestedFlow<PrepareRemitAnswer, Remitted, CheckRemitReadinessAnswer>

/** The flow of `client.remit()`. */
export function remitFlow(sender: Sender, requested: RequestedRemit): RemitFlow {
  const flow = createFlow(sender, requested)
  return { ...flow, sendAll: (wallet, options) => sendAll(flow, wallet, options) }
}

/** The codes that end `sendAll`: nothing is due, or none of what is due has a subscriber to charge. */
const DONE = ['REMIT_NOT_DUE', 'NOTHING_DUE']

async function* sendAll(
  flow: Flow<PrepareRemitAnswer, Remitted, CheckRemitReadinessAnswer>,
  wallet: Wallet,
  options: SendOptions = {},
): AsyncGenerator<Outcome & Remitted, void> {
  for (;;) {
    try {
      yield await flow.send(wallet, options)
    } catch (error) {
      if (isDone(error)) return
      if (!isTakenByAnother(error)) throw error
      // What is left for this wallet is prepared after the other's.
      options.signal?.throwIfAborted()
    }
  }
}

function isDone(error: unknown): boolean {
  return (
    error instanceof NotReadyError &&
    error.issues.length > 0 &&
    error.issues.every(({ code }) => code !== undefined && DONE.includes(code))
  )
}

/** The contract's revert text where nothing is due. */
const NOT_DUE = '6'

/** Somebody else's remit was first, which was noticed before signing. */
function isTakenByAnother(error: unknown): boolean {
  return error instanceof WouldRevertError && error.sent.length === 0 && error.reason.protocolCode === NOT_DUE
}

export type RemitRequest = FlowRequest

export interface Remitted {
  /** What the caller has got of each token, by the tokens' own logs; its refunds as a provider are not counted. */
  readonly feesEarned: readonly (Quantity & { readonly token: Address })[]
  /** Subscribers who paid. */
  readonly paid: number
  /** Subscribers who were dropped, since their allowance or balance was short. */
  readonly dropped: number
  /** Days that are finished now, as day numbers. */
  readonly finishedDays: readonly number[]
  /**
   * How many more calls of remit are needed after this one. A forecast of when this one was prepared; by `follow`, of when
   * it is asked. At least 1 where the contract has broken off in the middle of a day.
   */
  readonly remaining: number
}

/** What a remit asks of the service, and how its result is read. `prepared` is absent where a transaction is only followed. */
export function defineRemit(
  api: Api,
  { chainId, paymasterUrl }: RemitRequest,
): FlowDefinition<PrepareRemitAnswer, Remitted, CheckRemitReadinessAnswer> {
  return {
    readiness: (from, options) => api.checkRemitReadiness({ from, chainId }, options),
    prepare: (from, options) => api.prepareRemit({ from, chainId, paymasterUrl }, options),
    conclusion: async (context, prepared) =>
      remitConclusion(context, async () => {
        if (prepared !== undefined) return (prepared.preflight?.expectedTransactions ?? 1) - 1
        const { details } = await api.checkRemitReadiness({ from: context.account, chainId })
        return details.expectedTransactions
      }),
  }
}

/** @param callsLeft after the one that was mined */
function remitConclusion(
  { account, contract }: Pick<SentContext, 'account' | 'contract'>,
  callsLeft: () => Promise<number>,
): Conclusion<Remitted> {
  return {
    async conclude({ events, transactions }) {
      const own = ownRemits(account, events)
      const days = own.flatMap((event) => (event.event === 'CallerLog' ? [event.args] : []))
      if (days.length === 0) throw new MissingEventError('a remit', account)
      // Only remit logs coordinates: once for each subscriber that it charges or drops.
      const charged = own.filter(({ event }) => event === 'Coordinates').length
      const dropped = own.filter((event) => event.event === 'SubLog' && event.eventName === 'Failed').length
      const payments = own.filter((event) => event.event === 'SubLog')
      const isBrokenOff = days.some(({ isFinished }) => !isFinished)
      const forecast = await callsLeft()
      return {
        feesEarned: feesEarned(contract, account, payments, transactions),
        paid: charged - dropped,
        dropped,
        finishedDays: days.filter(({ isFinished }) => isFinished).map(({ checkedDay }) => checkedDay),
        remaining: isBrokenOff ? Math.max(forecast, 1) : forecast,
      }
    },
  }
}

/** What one account's calls of remit logged. Others' calls may be in the same transaction, where accounts are bundled. */
function ownRemits(caller: Address, events: readonly ProtocolEvent[]): readonly ProtocolEvent[] {
  let since = 0
  return events.flatMap((event, at) => {
    if (event.event !== 'CallerLog') return []
    const day = events.slice(since, at + 1)
    since = at + 1
    return isAddressEqual(event.args.caller, caller) ? day : []
  })
}

/** What the contract paid the caller of its remits, by the tokens' own logs. */
export function feesEarned(
  contract: Address,
  caller: Address,
  payments: readonly SubscriptionEvent[],
  transactions: Parameters<typeof transfersOf>[1],
): Remitted['feesEarned'] {
  const decimals = new Map(
    payments.flatMap(({ args, tokenDecimals }) =>
      tokenDecimals === null ? [] : [[args.token, tokenDecimals] as const],
    ),
  )
  const paying = transactions.map(({ logs }) => ({ logs: logsOfFees(contract, caller, logs) }))
  return [...decimals].map(([token, tokenDecimals]) => {
    const got = transfersOf(token, paying)
      .filter(({ from, to }) => isAddressEqual(from, contract) && isAddressEqual(to, caller))
      .reduce((sum, { value }) => sum + value, 0n)
    return { token, ...toQuantity(got, tokenDecimals) }
  })
}

/**
 * What tokens logged while an account's remits paid fees: a remit does so from its first Coordinates to its CallerLog. Transfers
 * after a ProviderRefunded are refunds, and those before the first Coordinates may be of others' calls in the same transaction.
 */
function logsOfFees(contract: Address, caller: Address, logs: readonly WalletLog[]): WalletLog[] {
  const fees: WalletLog[] = []
  /** Those of the day that is being walked: its CallerLog, which comes last, says whose call it was. */
  let day: WalletLog[] = []
  let isCharging = false
  let isRefund = false
  for (const log of logs) {
    if (!isAddressEqual(log.address, contract)) {
      if (isCharging && !isRefund) day.push(log)
      continue
    }
    const event = decodeLog(log)
    isRefund =
      event?.eventName === 'SubLog' && SUBSCRIPTION_EVENTS[event.args.subScriptEvent] === 'ProviderRefunded'
    if (event?.eventName === 'Coordinates') isCharging = true
    if (event?.eventName !== 'CallerLog') continue
    if (isAddressEqual(event.args.caller, caller)) fees.push(...day)
    day = []
    isCharging = false
  }
  return fees
}
