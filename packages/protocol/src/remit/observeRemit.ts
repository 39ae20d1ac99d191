import { type Address, getAddress, type Hex, isAddressEqual, zeroAddress } from 'viem'
import {
  type CoordinatesLog,
  type DecodedLog,
  decodeLogs,
  type EncodedLog,
  type SubLog,
} from '../logs/events.ts'
import type { SubscriberCharge, TokenTransfer } from './remitState.ts'

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

/** One subscriber's charge, and what its transfers say that it moved. Raw units. */
export interface ObservedCharge {
  readonly id: Hex
  readonly subscriber: Address
  readonly token: Address
  readonly outcome: 'paid' | 'feeFill' | 'failed'
  /** `undefined` if the token does not log the transfer. Of a failed charge, the rest of its fee balance. */
  readonly toProvider: bigint | undefined
  /** `undefined` if the token does not log the transfer. */
  readonly toFeeBalance: bigint | undefined
  /** What left the wallet, a token's own fees included; 0 for a failed charge. `undefined` if the token does not log it. */
  readonly taken: bigint | undefined
}

type Draft = { -readonly [Field in keyof ObservedCharge]: ObservedCharge[Field] }
type Part = 'toProvider' | 'toFeeBalance'

/** The transfer that the contract makes right behind one of its logs. */
interface Step {
  readonly charge: Draft
  readonly part: Part
  readonly from: Address
  readonly to: Address
}

/**
 * Reads from the logs of one call of remit what each subscriber paid. The order of the logs decides which transfer belongs
 * to which charge (docs/protocol.md): those of a payment follow its log, and the refund of a failed one precedes it.
 *
 * Only the transfers between the two accounts of a step say where it went. A token that takes a fee logs others beside
 * them: `taken` counts those too that leave the payer.
 */
export function observeCharges(logs: readonly EncodedLog[], contract: Address): readonly ObservedCharge[] {
  return chargesIn(decodeLogs(logs, contract), contract)
}

/** The same of logs that are decoded already. */
function chargesIn(events: readonly DecodedLog[], contract: Address): readonly ObservedCharge[] {
  const charges: Draft[] = []
  let dropped: Draft | undefined
  let step: Step | undefined
  for (const event of events) {
    if (event.type === 'Unknown' || event.type === 'Approval') continue
    if (event.type === 'Transfer') {
      const { log, from, to, amountRaw } = event
      if (step === undefined) continue
      const { charge: paying, part } = step
      if (isOf(step, { token: log.address, from, to })) paying[part] = (paying[part] ?? 0n) + amountRaw
      const isLeaving = isAddressEqual(from, paying.subscriber) && isAddressEqual(log.address, paying.token)
      if (isLeaving && paying.taken !== undefined) paying.taken += amountRaw
      continue
    }
    noteUnlogged(step)
    step = undefined
    if (event.type !== 'SubLog' || event.subscriber === undefined) continue
    const { provider, subscriber } = event
    const last = charges.at(-1)
    switch (event.eventName) {
      case 'SubscriberPaid':
        charges.push(charge(event, subscriber, { outcome: 'paid', toProvider: undefined }))
        break
      case 'FeeFilled': {
        const filled = charge(event, subscriber, { outcome: 'feeFill', toFeeBalance: undefined })
        charges.push(filled)
        step = { charge: filled, part: 'toFeeBalance', from: subscriber, to: contract }
        break
      }
      case 'ProviderPaid':
        if (last === undefined || last.outcome === 'failed' || !isSame(last, event)) break
        last.toProvider = undefined
        step = { charge: last, part: 'toProvider', from: subscriber, to: provider }
        break
      case 'ProviderRefunded':
        dropped = charge(event, subscriber, { outcome: 'failed', toProvider: undefined })
        step = { charge: dropped, part: 'toProvider', from: contract, to: provider }
        break
      case 'Failed': {
        const isRefunded = dropped !== undefined && isSame(dropped, event)
        charges.push(isRefunded && dropped ? dropped : charge(event, subscriber, { outcome: 'failed' }))
        dropped = undefined
      }
    }
  }
  noteUnlogged(step)
  return charges
}

/** Notes that the amount that left the wallet is unknown, where the token did not log what the contract made it transfer. */
function noteUnlogged(step: Step | undefined): void {
  if (step === undefined || step.charge.outcome === 'failed') return
  if (step.charge[step.part] === undefined) step.charge.taken = undefined
}

/** A charge that moves nothing but the given amounts. */
function charge(
  { id, token }: SubLog,
  subscriber: Address,
  said: Pick<ObservedCharge, 'outcome'> & Partial<Pick<ObservedCharge, Part>>,
): Draft {
  return { id, subscriber, token: getAddress(token), toProvider: 0n, toFeeBalance: 0n, taken: 0n, ...said }
}

function isOf(step: Step, moved: { readonly token: Address; readonly from: Address; readonly to: Address }) {
  return (
    isAddressEqual(moved.token, step.charge.token) &&
    isAddressEqual(moved.from, step.from) &&
    isAddressEqual(moved.to, step.to)
  )
}

function isSame({ id, subscriber }: Draft, event: SubLog): boolean {
  return id === event.id && event.subscriber !== undefined && isAddressEqual(subscriber, event.subscriber)
}
