import { type Address, getAddress, type Hex, isAddressEqual } from 'viem'
import { type CoordinatesLog, decodeLogs, type EncodedLog } from '../logs/events.ts'
import type { SubscriberCharge } from './RemitRun.ts'
import type { TokenTransfer } from './TokenBalances.ts'

/** What one simulated call of remit did, read from its logs. */
export interface ObservedRemit {
  /** The day that was not empty. */
  readonly dayNumber: number
  readonly emptyDays: number
  /** `false` where the call broke off at maxRemits. */
  readonly finished: boolean
  /** In their order. Logs do not tell why a charge failed. */
  readonly charges: readonly Omit<SubscriberCharge, 'reason' | 'transfers'>[]
  /** The position of the first charge. */
  readonly first: CoordinatesLog | undefined
  /** The fees that were paid, with those of 0. The system's share comes first, where it is on. */
  readonly fees: readonly TokenTransfer[]
}

/** What one simulated call of remit did, on a node that shows no logs. */
export interface CountedRemit {
  /** The contract's nextUncheckedDay after the call. */
  readonly nextUncheckedDay: number
  /** The changes of the caller's balances, in raw units. */
  readonly gained: readonly { readonly token: Address; readonly amountRaw: bigint }[]
}

/** How a call of remit reverted. */
export interface RemitFailure {
  readonly data: Hex
  /** Whether the node said so, or the call used nearly all of its gas. */
  readonly ranOutOfGas: boolean
  /** The gas that the call needs, where it succeeds only with more gas than a transaction may have. */
  readonly gasNeeded?: bigint
}

/** Why a simulation shows fewer calls than were asked for: the node grants no more gas at once. */
export type SimulationCut = 'gasBudget'

/**
 * What several calls of remit in a row did, on top of one block. `revert` is how the next call failed, `undefined` where
 * no call failed.
 */
export type RemitProbe = { readonly cut?: SimulationCut | undefined } & (
  | {
      readonly method: 'eth_simulateV1'
      readonly calls: readonly ObservedRemit[]
      readonly revert: RemitFailure | undefined
    }
  | {
      readonly method: 'eth_call'
      readonly calls: readonly CountedRemit[]
      readonly revert: RemitFailure | undefined
    }
  /** The node supports neither eth_simulateV1 nor code overrides. */
  | { readonly method: 'none'; readonly calls: readonly []; readonly revert: undefined }
)

export const NOT_PROBED: RemitProbe = { method: 'none', calls: [], revert: undefined }

const OUTCOMES: ReadonlyMap<string, SubscriberCharge['outcome']> = new Map([
  ['SubscriberPaid', 'paid'],
  ['FeeFilled', 'feeFill'],
  ['Failed', 'failed'],
])

/** Reads one call's logs; `undefined` where they are not from a remit. */
export function observeRemit(logs: readonly EncodedLog[], contract: Address): ObservedRemit | undefined {
  const events = decodeLogs(logs, contract)
  const closing = events.filter((event) => event.type === 'CallerLog')
  const last = closing.at(-1)
  if (last === undefined) return undefined
  const { checkedDay: dayNumber, isFinished: finished } = last
  const charges: ObservedRemit['charges'][number][] = []
  const fees: TokenTransfer[] = []
  for (const [index, event] of events.entries()) {
    if (event.type === 'SubLog') {
      const { id, subscriber, eventName } = event
      const outcome = OUTCOMES.get(eventName)
      if (outcome !== undefined && subscriber !== undefined)
        charges.push({ id, subscriber, dayNumber, outcome })
    }
    if (event.type !== 'Transfer' || !isAddressEqual(event.from, contract)) continue
    const before = events[index - 1]
    // The fee balance of a dropped subscriber goes to the provider. It is the only other payment of the contract.
    if (before?.type === 'SubLog' && before.eventName === 'ProviderRefunded') continue
    const { from, to, amountRaw } = event
    fees.push({ token: getAddress(event.log.address), from, to, amountRaw })
  }
  return {
    dayNumber,
    emptyDays: closing.length - 1,
    finished,
    charges,
    first: events.find((event) => event.type === 'Coordinates'),
    fees,
  }
}
