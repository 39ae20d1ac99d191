import { type Address, getAddress, type Hex, isAddressEqual } from 'viem'
import { type CoordinatesLog, decodeLogs, type EncodedLog } from '../logs/events.ts'
import type { SubscriberCharge } from './RemitRun.ts'
import type { TokenTransfer } from './TokenBalances.ts'

/** What one call of remit was seen to do, by its logs. */
export interface ObservedRemit {
  /** The day that was not empty. */
  readonly dayNumber: number
  readonly emptyDays: number
  /** False where the call broke off at maxRemits. */
  readonly finished: boolean
  /** In their order. Logs do not tell why somebody failed. */
  readonly charges: readonly Omit<SubscriberCharge, 'reason' | 'transfers'>[]
  /** Where the walk stood at its first charge. */
  readonly first: CoordinatesLog | undefined
  /** What the contract paid out of the fees, those of 0 included: the system's part first where it is on. */
  readonly fees: readonly TokenTransfer[]
}

/** What one call of remit was seen to do where logs cannot be seen. */
export interface CountedRemit {
  /** The contract's, after the call. */
  readonly nextUncheckedDay: number
  /** What the caller gained of each token, or lost, in raw units; only what changed. */
  readonly gained: readonly { readonly token: Address; readonly amountRaw: bigint }[]
}

/** How a call of remit reverted. */
export interface RemitFailure {
  readonly data: Hex
  /** Whether the node said so, or nearly all of the gas was used. */
  readonly ranOutOfGas: boolean
  /** What the call takes, where it goes through with more gas than a transaction of the chain may have. */
  readonly gasNeeded?: bigint
}

/**
 * What calls of remit in a row did, on top of one block. `revert` is how the call after them failed, `undefined`
 * where none was tried that did.
 */
export type RemitProbe =
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
  /** The node can neither simulate calls in a row nor lend code to an address. */
  | { readonly method: 'none'; readonly calls: readonly []; readonly revert: undefined }

export const NOT_PROBED: RemitProbe = { method: 'none', calls: [], revert: undefined }

const OUTCOMES: ReadonlyMap<string, SubscriberCharge['outcome']> = new Map([
  ['SubscriberPaid', 'paid'],
  ['FeeFilled', 'feeFill'],
  ['Failed', 'failed'],
])

/** Reads one call's logs; `undefined` where they are not those of a remit. */
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
    // A dropped subscriber's fee balance goes to the provider: the only other money that remit pays out.
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
