/**
 * Logs of mined transactions: those of the protocol's contract as events, and those of tokens as transfers. The contract logs `SubLog` for
 * all that happens to a subscription, `DetailsLog` and `ProvDetailsLog` for texts, `CallerLog` and `Coordinates` for how far a remit has
 * come, `UList` for a subscriber who leaves in the middle of one.
 */

import { toRaw } from '@remit/protocol/amounts'
import {
  type Address,
  decodeEventLog,
  erc20Abi,
  formatUnits,
  type GetEventArgs,
  type Hash,
  type Hex,
  isAddressEqual,
  type TransactionReceipt,
} from 'viem'
import { subscriptionsAbi } from '../../generated/abi.ts'

/** A log as wallets tell it. */
export interface WalletLog {
  readonly address: Hex
  readonly data: Hex
  readonly topics: readonly Hex[]
}

/** What was mined, one transaction for several calls where the wallet has bundled them. */
export interface MinedCalls {
  readonly hash: Hash
  readonly functions: readonly string[]
  readonly status: 'success' | 'reverted'
  readonly blockNumber: number
  readonly gasUsed: bigint
  readonly logs: readonly WalletLog[]
}

/** A mined transaction by its receipt. */
export function minedCalls(
  { transactionHash: hash, status, blockNumber, gasUsed, logs }: TransactionReceipt,
  functions: readonly string[],
): MinedCalls {
  return { hash, functions, status, blockNumber: Number(blockNumber), gasUsed, logs }
}

/** What a SubLog tells, in the order of the contract's numbers. */
export const SUBSCRIPTION_EVENTS = [
  'Created',
  'Cancelled',
  'ProviderPaid',
  'Failed',
  'ProviderRefunded',
  'SubscriberPaid',
  'Subscribed',
  'Unsubscribed',
  'FeeFilled',
  'SubscriberRefunded',
] as const

export type SubscriptionEventName = (typeof SUBSCRIPTION_EVENTS)[number]

type Logged = 'SubLog' | 'DetailsLog' | 'ProvDetailsLog' | 'CallerLog' | 'UList' | 'Coordinates'
type Arguments<Name extends Logged> = GetEventArgs<
  typeof subscriptionsAbi,
  Name,
  { EnableUnion: false; IndexedOnly: false; Required: true }
>

/** What happened to a subscription. `args.amount` is what the contract logged, in protocol units of 18 decimals. */
export interface SubscriptionEvent {
  readonly event: 'SubLog'
  readonly eventName: SubscriptionEventName
  readonly args: Arguments<'SubLog'>
  readonly transactionHash: Hex
  /** The amount in human units of the token; `null` where its decimals could not be read. */
  readonly amount: string | null
  /** The amount in the token's smallest unit, converted as the contract does; `null` like `amount`. */
  readonly amountRaw: bigint | null
  readonly tokenDecimals: number | null
}

type OtherEvent<Name extends Logged> = {
  readonly event: Name
  readonly args: Arguments<Name>
  readonly transactionHash: Hex
}

/** One of the contract's logs, decoded. */
export type ProtocolEvent =
  | SubscriptionEvent
  | OtherEvent<'DetailsLog'>
  | OtherEvent<'ProvDetailsLog'>
  | OtherEvent<'CallerLog'>
  | OtherEvent<'UList'>
  | OtherEvent<'Coordinates'>

/**
 * The contract's logs in mined transactions, in order. Logs of others are left out.
 * @param decimalsOf the contract's entry for a token; `null` where it cannot be read
 */
export async function decodeEvents(
  contract: Address,
  mined: readonly Pick<MinedCalls, 'hash' | 'logs'>[],
  decimalsOf: (token: Address) => Promise<number | null>,
): Promise<ProtocolEvent[]> {
  const events: ProtocolEvent[] = []
  for (const { hash: transactionHash, logs } of mined) {
    for (const log of logs.filter(({ address }) => isAddressEqual(address, contract))) {
      const decoded = decodeLog(log)
      if (decoded === undefined) continue
      if (decoded.eventName !== 'SubLog') {
        // Safe: viem pairs every name with its arguments, and the pairing is only lost in the spreading.
        events.push({ event: decoded.eventName, args: decoded.args, transactionHash } as ProtocolEvent)
        continue
      }
      const { args } = decoded
      const eventName = SUBSCRIPTION_EVENTS[args.subScriptEvent]
      if (eventName === undefined) continue
      const tokenDecimals = await decimalsOf(args.token)
      const amountRaw = tokenDecimals === null ? null : toRaw(args.amount, tokenDecimals)
      const amount =
        amountRaw === null || tokenDecimals === null ? null : formatUnits(amountRaw, tokenDecimals)
      events.push({ event: 'SubLog', eventName, args, transactionHash, amount, amountRaw, tokenDecimals })
    }
  }
  return events
}

/** What a log of the contract says; `undefined` for a log of another form. The caller looks at its address. */
export function decodeLog({ data, topics }: WalletLog) {
  const [signature, ...indexed] = topics
  if (signature === undefined) return undefined
  try {
    return decodeEventLog({ abi: subscriptionsAbi, data, topics: [signature, ...indexed] })
  } catch {
    return undefined
  }
}

/** What moved of a token, in its smallest unit. */
export interface Transfer {
  readonly from: Address
  readonly to: Address
  readonly value: bigint
}

/** A token's own logs of what moved in mined transactions, in order. */
export function transfersOf(token: Address, transactions: readonly Pick<MinedCalls, 'logs'>[]): Transfer[] {
  return transactions.flatMap(({ logs }) =>
    logs.flatMap(({ address, data, topics: [signature, ...indexed] }) => {
      if (signature === undefined || !isAddressEqual(address, token)) return []
      const transfer = decodeTransfer(data, [signature, ...indexed])
      return transfer === undefined ? [] : [transfer]
    }),
  )
}

/**
 * The logs that follow one of the contract's, up to its next one: what tokens did for it. Others' calls may be in the same
 * transaction, where smart accounts are bundled.
 */
export function logsBehind(
  contract: Address,
  transactions: readonly Pick<MinedCalls, 'logs'>[],
  isMeant: (log: WalletLog) => boolean,
): Pick<MinedCalls, 'logs'>[] {
  const isOfContract = ({ address }: WalletLog) => isAddressEqual(address, contract)
  return transactions.flatMap(({ logs }) => {
    const at = logs.findIndex((log) => isOfContract(log) && isMeant(log))
    if (at === -1) return []
    const following = logs.slice(at + 1)
    const end = following.findIndex(isOfContract)
    return { logs: end === -1 ? following : following.slice(0, end) }
  })
}

function decodeTransfer(data: Hex, topics: [Hex, ...Hex[]]): Transfer | undefined {
  try {
    const { eventName, args } = decodeEventLog({ abi: erc20Abi, data, topics })
    return eventName === 'Transfer' ? args : undefined
  } catch {
    return undefined
  }
}
