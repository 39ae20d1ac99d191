import type { Address, Hex } from 'viem'
import type { CallOptions } from '../request/CallOptions.ts'
import type { ApprovalRule } from './ApprovalRule.ts'
import type { ChainReads } from './ChainReads.ts'
import type { PreparedBatch } from './checkPrepared.ts'
import type { ExpectedCall } from './ExpectedCall.ts'
import type { ProtocolEvent, SubscriptionEvent, SubscriptionEventName } from './ProtocolEvent.ts'
import type { MinedCalls } from './sendTogether.ts'

/** What one flow is: how it is prepared, what the answer has to be, and what came of it. */
export interface Plan<Prepared extends PreparedBatch, Result, Told> {
  /** The chain that was asked for; `undefined` leaves it to the service's default. */
  readonly chainId: number | undefined
  readiness(from: Address, options: CallOptions): Promise<Told>
  prepare(from: Address, options: CallOptions): Promise<Prepared>
  /** Works out from the request and the chain what the transactions have to be. */
  expect(standing: Standing, prepared: Prepared): Promise<Expected<Result>>
}

/** Who is about to sign, and where. */
export interface Standing {
  readonly account: Address
  readonly contract: Address
  readonly reads: ChainReads
  readonly maxApproval: bigint | undefined
}

export interface Expected<Result> {
  readonly call: ExpectedCall
  readonly approval?: { readonly rule: ApprovalRule; readonly proposed: bigint }
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
