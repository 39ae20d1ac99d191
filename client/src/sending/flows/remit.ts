import { type Address, isAddressEqual } from 'viem'
import { subscriptionsAbi } from '../../generated/abi.ts'
import type { Api, CheckRemitReadinessAnswer, PrepareRemitAnswer, Quantity } from '../../generated/api.ts'
import { toQuantity } from '../chain/readSubscription.ts'
import { MissingEventError } from '../errors.ts'
import type { Conclusion, FlowDefinition, SentContext } from '../send/FlowDefinition.ts'
import { decodeLog } from '../wait/decodeEvents.ts'
import type { ProtocolEvent, SubscriptionEvent } from '../wait/ProtocolEvent.ts'
import { logsBefore, transfersOf } from '../wait/transfersOf.ts'

export interface RemitRequest {
  readonly chainId?: number | undefined
}

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
   * Calls of remit that were left after this one, as it was prepared or, by `follow`, as it was mined; at least 1 where
   * the contract has broken off in the middle of a day.
   */
  readonly remaining: number
}

export function defineRemit(
  api: Api,
  { chainId }: RemitRequest,
): FlowDefinition<PrepareRemitAnswer, Remitted, CheckRemitReadinessAnswer> {
  return {
    readiness: (from, options) => api.checkRemitReadiness({ from, chainId }, options),
    prepare: (from, options) => api.prepareRemit({ from, chainId }, options),
    expect: async (context, { preflight }) => ({
      call: { to: context.contract, abi: subscriptionsAbi, functionName: 'remit', args: [] },
      ...remitConclusion(context, async () => (preflight?.expectedTransactions ?? 1) - 1),
    }),
    conclusion: async (context) =>
      remitConclusion(context, async () => {
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

/**
 * What the contract paid its caller: it does so at the end of each day, just before its CallerLog. What the caller got earlier
 * are refunds, as the provider of dropped subscribers.
 */
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
  const ends = logsBefore(contract, transactions, (log) => {
    const event = decodeLog(log)
    return event?.eventName === 'CallerLog' && isAddressEqual(event.args.caller, caller)
  })
  return [...decimals].map(([token, tokenDecimals]) => {
    const got = transfersOf(token, ends)
      .filter(({ from, to }) => isAddressEqual(from, contract) && isAddressEqual(to, caller))
      .reduce((sum, { value }) => sum + value, 0n)
    return { token, ...toQuantity(got, tokenDecimals) }
  })
}
