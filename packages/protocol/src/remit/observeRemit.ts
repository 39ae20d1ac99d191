/**
 * What simulated calls of remit did (`RemitProbe`), and how that is read from the logs of one call (`observeRemit`): first which
 * transfers are fees, then what each subscriber paid (`observeCharges`, also asked alone for the remits of days to come).
 */

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
  /** The day that was not empty: the one on which something was due. */
  readonly dayNumber: number
  /** How many days without anything due the call walked before it. */
  readonly emptyDays: number
  /** `false` where the call broke off at maxRemits. */
  readonly finished: boolean
  /** The charges in their order. Logs do not tell why a charge failed. */
  readonly charges: readonly Omit<SubscriberCharge, 'reason' | 'transfers'>[]
  /** Where remit stood at the first charge; `undefined` where it charged nobody. */
  readonly first: CoordinatesLog | undefined
  /** The fees that were paid, with those of 0. Of each payment the system's share comes first, where it is on. */
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
 * What several calls of remit in a row did, on top of one block. `revert` is how the next call failed, `undefined` where no call failed.
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

/** Stands for a simulation that could not be made. */
export const NOT_PROBED: RemitProbe = { method: 'none', calls: [], revert: undefined }

/** Reads one call's logs; `undefined` where they are not from a remit. */
export function observeRemit(logs: readonly EncodedLog[], contract: Address): ObservedRemit | undefined {
  const events = decodeLogs(logs, contract)
  // The contract logs a CallerLog for each day that it has gone through.
  const dayLogs = events.filter((event) => event.type === 'CallerLog')
  const last = dayLogs.at(-1)
  if (last === undefined) return undefined
  const { checkedDay: dayNumber, isFinished: finished } = last
  const charges = readCharges(events, contract).map(({ id, subscriber, outcome, taken }) => {
    const charge = { id, subscriber, dayNumber, outcome }
    return taken === undefined ? charge : { ...charge, taken }
  })
  return {
    dayNumber,
    emptyDays: dayLogs.length - 1,
    finished,
    charges,
    first: events.find((event) => event.type === 'Coordinates'),
    fees: readFees(events, contract, last.caller),
  }
}

/**
 * The fees among the transfers of a call. No view of the contract names who receives the system's share. But the contract
 * pays it right before the caller's fee, in the same token, and never to the zero address.
 *
 * A token that takes a fee logs other transfers beside these. An account that also gets a part of the charges, and is
 * not the provider, collects the token's fee: what the contract pays to it is no share.
 */
function readFees(events: readonly DecodedLog[], contract: Address, caller: Address): TokenTransfer[] {
  const moves = transfersIn(events)
  const collectors = new Set(
    moves.flatMap((move) => (isTokensOwnFee(move, contract) ? [receiverKey(move)] : [])),
  )
  // The fee balance of a dropped subscriber goes to the provider. It is the only other payment of the contract.
  const payments = moves.filter(
    ({ from, lastSubLog }) => isAddressEqual(from, contract) && lastSubLog?.eventName !== 'ProviderRefunded',
  )
  const fees: TokenTransfer[] = []
  /** What may be the system's share, until the caller's fee follows and shows it. */
  let share: Move | undefined
  for (const move of payments) {
    // Share and fee are paid together: in one token, with no log of the contract between them.
    if (share?.lastLogIndex !== move.lastLogIndex || share.token !== move.token) share = undefined
    if (isAddressEqual(move.to, caller)) {
      if (share !== undefined) fees.push(transferOf(share))
      fees.push(transferOf(move))
      share = undefined
    } else if (!isAddressEqual(move.to, zeroAddress) && !collectors.has(receiverKey(move))) {
      share ??= move
    }
  }
  return fees
}

/** A transfer, with the contract's last log before it. */
interface Move extends TokenTransfer {
  /** The place of that log among the call's; -1 where there is none. */
  readonly lastLogIndex: number
  /** That log, where it is a SubLog. */
  readonly lastSubLog: SubLog | undefined
}

function transfersIn(events: readonly DecodedLog[]): Move[] {
  const moves: Move[] = []
  let lastLogIndex = -1
  let lastSubLog: SubLog | undefined
  for (const [index, event] of events.entries()) {
    if (event.type === 'Unknown' || event.type === 'Approval') continue
    if (event.type === 'Transfer') {
      const { from, to, amountRaw, log } = event
      moves.push({ token: getAddress(log.address), from, to, amountRaw, lastLogIndex, lastSubLog })
    } else {
      lastLogIndex = index
      lastSubLog = event.type === 'SubLog' ? event : undefined
    }
  }
  return moves
}

/** Whether the token takes its own fee with this transfer: a part of a charge or of a refund that goes to neither side of it. */
function isTokensOwnFee({ token, from, to, lastSubLog: said }: Move, contract: Address): boolean {
  if (said?.subscriber === undefined || !isAddressEqual(token, said.token)) return false
  const payer = said.eventName === 'ProviderRefunded' ? contract : said.subscriber
  return isAddressEqual(from, payer) && !isAddressEqual(to, contract) && !isAddressEqual(to, said.provider)
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

/** A charge while its transfers are read. */
type Draft = { -readonly [Field in keyof ObservedCharge]: ObservedCharge[Field] }
type Part = 'toProvider' | 'toFeeBalance'

/** The transfer that the contract makes right behind one of its logs, as far as it is part of a charge. */
interface ExpectedTransfer {
  readonly charge: Draft
  readonly part: Part
  readonly from: Address
  readonly to: Address
}

/**
 * Reads from the logs of one call of remit what each subscriber paid. The order of the logs decides which transfer belongs
 * to which charge (docs/protocol.md): those of a payment follow its log, and the refund of a failed one precedes it.
 *
 * Only the transfers between the two expected accounts say where the money went. A token that takes a fee logs others beside
 * them: `taken` counts those too that leave the payer.
 */
export function observeCharges(logs: readonly EncodedLog[], contract: Address): readonly ObservedCharge[] {
  return readCharges(decodeLogs(logs, contract), contract)
}

/** As `observeCharges`, of logs that are decoded already. */
function readCharges(events: readonly DecodedLog[], contract: Address): readonly ObservedCharge[] {
  const charges: Draft[] = []
  /** A failed charge whose fee balance went to the provider, until the Failed of the same subscriber follows. */
  let refunded: Draft | undefined
  let expected: ExpectedTransfer | undefined
  for (const event of events) {
    if (event.type === 'Unknown' || event.type === 'Approval') continue
    if (event.type === 'Transfer') {
      const { log, from, to, amountRaw } = event
      if (expected !== undefined) addTransfer(expected, { token: log.address, from, to, amountRaw })
      continue
    }
    // With the contract's next log, the transfers behind its last one are over.
    noteUnlogged(expected)
    expected = undefined
    if (event.type !== 'SubLog' || event.subscriber === undefined) continue
    const { provider, subscriber } = event
    const last = charges.at(-1)
    switch (event.eventName) {
      case 'SubscriberPaid':
        charges.push(draftOf(event, subscriber, { outcome: 'paid', toProvider: undefined }))
        break
      case 'FeeFilled': {
        const filled = draftOf(event, subscriber, { outcome: 'feeFill', toFeeBalance: undefined })
        charges.push(filled)
        expected = { charge: filled, part: 'toFeeBalance', from: subscriber, to: contract }
        break
      }
      case 'ProviderPaid':
        if (last === undefined || last.outcome === 'failed' || !isAbout(last, event)) break
        last.toProvider = undefined
        expected = { charge: last, part: 'toProvider', from: subscriber, to: provider }
        break
      case 'ProviderRefunded':
        refunded = draftOf(event, subscriber, { outcome: 'failed', toProvider: undefined })
        expected = { charge: refunded, part: 'toProvider', from: contract, to: provider }
        break
      case 'Failed':
        if (refunded !== undefined && isAbout(refunded, event)) charges.push(refunded)
        else charges.push(draftOf(event, subscriber, { outcome: 'failed' }))
        refunded = undefined
    }
  }
  noteUnlogged(expected)
  return charges
}

/** Adds a transfer that follows the contract's log to its charge: to the expected part, to what left the wallet, or to neither. */
function addTransfer(expected: ExpectedTransfer, { token, from, to, amountRaw }: TokenTransfer): void {
  const { charge, part } = expected
  if (!isAddressEqual(token, charge.token)) return
  if (isAddressEqual(from, expected.from) && isAddressEqual(to, expected.to))
    charge[part] = (charge[part] ?? 0n) + amountRaw
  if (isAddressEqual(from, charge.subscriber) && charge.taken !== undefined) charge.taken += amountRaw
}

/** Notes that the amount that left the wallet is unknown, where the token did not log what the contract made it transfer. */
function noteUnlogged(expected: ExpectedTransfer | undefined): void {
  if (expected === undefined || expected.charge.outcome === 'failed') return
  if (expected.charge[expected.part] === undefined) expected.charge.taken = undefined
}

/** A charge that moves nothing but the given amounts. */
function draftOf(
  { id, token }: SubLog,
  subscriber: Address,
  said: Pick<ObservedCharge, 'outcome'> & Partial<Pick<ObservedCharge, Part>>,
): Draft {
  return { id, subscriber, token: getAddress(token), toProvider: 0n, toFeeBalance: 0n, taken: 0n, ...said }
}

function isAbout({ id, subscriber }: Draft, event: SubLog): boolean {
  return id === event.id && event.subscriber !== undefined && isAddressEqual(subscriber, event.subscriber)
}
