import type { GetEventArgs, Hex } from 'viem'
import type { subscriptionsAbi } from '../../generated/abi.ts'

/** What a SubLog tells, by its number in the contract. */
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
