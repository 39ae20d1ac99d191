import { type Address, getAddress, type Hex, isAddressEqual, zeroAddress } from 'viem'
import {
  type CoordinatesLog,
  type DecodedLog,
  decodeLogs,
  type EncodedLog,
  type SubLog,
} from '../logs/events.ts'
import { chargesIn } from './observeCharges.ts'
import type { SubscriberCharge } from './remitEffects.ts'
import type { TokenTransfer } from './TokenBalances.ts'

/** What one simulated call of remit did, read from its logs. */
export interface ObservedRemit {
  /** The day that was not empty. */
  readonly dayNumber: number
  readonly emptyDays: number
  /** `false` where the call broke off at maxRemits. */
  readonly finished: boolean
  /** The charges in their order. Logs do not tell why a charge failed. */
  readonly charges: readonly Omit<SubscriberCharge, 'reason' | 'transfers'>[]
  /** The position of the first charge. */
  readonly first: CoordinatesLog | undefined
  /** The fees that were paid, with those of 0. The system's share comes first, where it is on. */
  readonly fees: readonly TokenTransfer[]
}

/** What one simulated call of remit did, as a node shows it that gives no logs. */
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

/** Reads one call's logs; `undefined` where they are not from a remit. */
export function observeRemit(logs: readonly EncodedLog[], contract: Address): ObservedRemit | undefined {
  const events = decodeLogs(logs, contract)
  const closing = events.filter((event) => event.type === 'CallerLog')
  const last = closing.at(-1)
  if (last === undefined) return undefined
  const { checkedDay: dayNumber, isFinished: finished } = last
  const charges = chargesIn(events, contract).map(({ id, subscriber, outcome, taken }) => {
    const charge = { id, subscriber, dayNumber, outcome }
    return taken === undefined ? charge : { ...charge, taken }
  })
  return {
    dayNumber,
    emptyDays: closing.length - 1,
    finished,
    charges,
    first: events.find((event) => event.type === 'Coordinates'),
    fees: feesIn(events, contract, last.caller),
  }
}

/**
 * The fees among the transfers of a call. No view of the contract names who receives the system's share. But the contract
 * pays it right before the caller's fee, in the same token, and never to the zero address.
 *
 * A token that takes a fee logs other transfers beside these. An account that also gets a part of the charges, and is
 * not the provider, collects the token's fee.
 */
function feesIn(events: readonly DecodedLog[], contract: Address, caller: Address): TokenTransfer[] {
  const moves = transfersIn(events)
  const collectors = new Set(
    moves.flatMap((move) => (isTokensOwn(move, contract) ? [receiverKey(move)] : [])),
  )
  const fees: TokenTransfer[] = []
  let share: Move | undefined
  for (const move of moves) {
    // The fee balance of a dropped subscriber goes to the provider. It is the only other payment of the contract.
    if (!isAddressEqual(move.from, contract) || move.behind?.eventName === 'ProviderRefunded') continue
    // Fees are paid together: with no log of the contract between them.
    if (share?.place !== move.place || share.token !== move.token) share = undefined
    if (isAddressEqual(move.to, caller)) {
      fees.push(...[share, move].flatMap((fee) => (fee === undefined ? [] : [transferOf(fee)])))
      share = undefined
    } else if (!isAddressEqual(move.to, zeroAddress) && !collectors.has(receiverKey(move))) {
      share ??= move
    }
  }
  return fees
}

/** A transfer, with the contract's last log before it. */
interface Move extends TokenTransfer {
  /** The place of that log; -1 where there is none. */
  readonly place: number
  /** That log, where it is a SubLog. */
  readonly behind: SubLog | undefined
}

function transfersIn(events: readonly DecodedLog[]): Move[] {
  const moves: Move[] = []
  let [place, behind]: [number, SubLog | undefined] = [-1, undefined]
  for (const [index, event] of events.entries()) {
    if (event.type === 'Unknown' || event.type === 'Approval') continue
    if (event.type === 'Transfer') {
      const { from, to, amountRaw, log } = event
      moves.push({ token: getAddress(log.address), from, to, amountRaw, place, behind })
    } else {
      place = index
      behind = event.type === 'SubLog' ? event : undefined
    }
  }
  return moves
}

/** Whether the token itself made this transfer: a part of a charge or of a refund that goes to none of its accounts. */
function isTokensOwn({ token, from, to, behind }: Move, contract: Address): boolean {
  if (behind?.subscriber === undefined || !isAddressEqual(token, behind.token)) return false
  const payer = behind.eventName === 'ProviderRefunded' ? contract : behind.subscriber
  return isAddressEqual(from, payer) && !isAddressEqual(to, contract) && !isAddressEqual(to, behind.provider)
}

function receiverKey({ token, to }: Move): string {
  return `${token}:${to}`.toLowerCase()
}

function transferOf({ token, from, to, amountRaw }: Move): TokenTransfer {
  return { token, from, to, amountRaw }
}
