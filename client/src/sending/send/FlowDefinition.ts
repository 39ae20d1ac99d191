import type { Address, Hex } from 'viem'
import type { CallOptions } from '../../call/CallOptions.ts'
import { isSameHex } from '../../request/isSameHex.ts'
import type { KnownSubscription } from '../chain/readSubscription.ts'
import type { PreparedBatch } from '../check/checkPrepared.ts'
import type { ExpectedCalls, Preparable } from '../check/prepareChecked.ts'
import type { MinedCalls } from '../wait/MinedCalls.ts'
import type { ProtocolEvent, SubscriptionEvent, SubscriptionEventName } from '../wait/ProtocolEvent.ts'

/** What one flow is: how it is prepared, what the answer has to be, and what came of it. */
export interface FlowDefinition<Prepared extends PreparedBatch, Result, Told>
  extends Preparable<Prepared, Expected<Result>> {
  readiness(from: Address, options: CallOptions): Promise<Told>
}

/** A flow that was asked for, before its chain is known. */
export interface RequestedFlow<Prepared extends PreparedBatch, Result, Told> {
  /** The chain that the caller has named. `undefined`: the wallet's own, and without a wallet the service's default. */
  readonly chainId: number | undefined
  on(chainId: number | undefined): FlowDefinition<Prepared, Result, Told>
}

export interface Expected<Result> extends ExpectedCalls {
  /** What the wallet commits itself to, month after month. Left out where that is nothing. */
  readonly commits?: KnownSubscription
  /** Decimals of tokens by the contract's own record, as far as they are known already. */
  readonly decimals?: ReadonlyMap<Address, number>
  /** Reads the result out of what was mined. Throws MissingEventError where the contract did not log it. */
  conclude(mined: Concluded): Result | Promise<Result>
}

/** Everything was mined, and nothing reverted. */
interface Concluded {
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
        (id === undefined || isSameHex(args.id, id)) &&
        (subscriber === undefined || isSameHex(args.subscriber, subscriber)) &&
        (provider === undefined || isSameHex(args.provider, provider)),
    )
}
