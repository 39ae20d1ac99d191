import type { Address, Hex } from 'viem'
import type { CallOptions } from '../../request/CallOptions.ts'
import type { MinedCalls } from '../send/sendTogether.ts'
import type { ProtocolEvent, SubscriptionEvent, SubscriptionEventName } from '../wait/ProtocolEvent.ts'
import type { ApprovalRule } from './ApprovalRule.ts'
import type { ChainReads } from './ChainReads.ts'
import type { PreparedBatch } from './checkPrepared.ts'
import type { ExpectedCall } from './ExpectedCall.ts'
import type { KnownSubscription } from './terms.ts'

/** What one flow is: how it is prepared, what the answer has to be, and what came of it. */
export interface Plan<Prepared extends PreparedBatch, Result, Told> {
  readiness(from: Address, options: CallOptions): Promise<Told>
  prepare(from: Address, options: CallOptions): Promise<Prepared>
  /**
   * Works out from the request and the chain what the transactions have to be.
   * @param prepared only for what is told afterwards: nothing of it may come into a transaction
   */
  expect(standing: Standing, prepared: Prepared): Promise<Expected<Result>>
}

/** A flow as it was asked for, before it is known on which chain. */
export interface Planned<Prepared extends PreparedBatch, Result, Told> {
  /** The chain that the caller has named. `undefined`: the wallet's own, and without a wallet the service's default. */
  readonly chainId: number | undefined
  on(chainId: number | undefined): Plan<Prepared, Result, Told>
}

/** Who is about to sign, and where. */
export interface Standing {
  readonly account: Address
  readonly contract: Address
  readonly reads: ChainReads
  /** Unix time by which the day is told. */
  readonly timestamp: number
  readonly maxApproval: bigint | undefined
}

export interface Expected<Result> {
  /** The last transaction, which what was asked for is about. */
  readonly call: ExpectedCall
  /** What stands before it. */
  readonly approval?: ApprovalRule
  /** What the wallet commits itself to with it, month after month. Left out where that is nothing. */
  readonly commits?: KnownSubscription
  /** Decimals of the contract's entries for tokens, as far as they are known before. */
  readonly decimals?: ReadonlyMap<Address, number>
  /** What came of it. Throws MissingEventError where it cannot be told. */
  conclude(mined: Concluded): Result | Promise<Result>
}

/** Everything was mined, and nothing reverted. */
export interface Concluded {
  readonly transactions: readonly MinedCalls[]
  readonly events: readonly ProtocolEvent[]
}

/** The first event of a subscription with this name, as far as it is told apart. */
export function findEvent(
  events: readonly ProtocolEvent[],
  name: SubscriptionEventName,
  {
    id,
    subscriber,
    provider,
  }: { readonly id?: Hex; readonly subscriber?: Address; readonly provider?: Address },
): SubscriptionEvent | undefined {
  return events
    .filter((event) => event.event === 'SubLog')
    .find(
      ({ eventName, args }) =>
        eventName === name &&
        (id === undefined || isSame(args.id, id)) &&
        (subscriber === undefined || isSame(args.subscriber, subscriber)) &&
        (provider === undefined || isSame(args.provider, provider)),
    )
}

function isSame(left: Hex, right: Hex): boolean {
  return left.toLowerCase() === right.toLowerCase()
}
