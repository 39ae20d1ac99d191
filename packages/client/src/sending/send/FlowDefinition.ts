import type { Abi, Address, Hex } from 'viem'
import type { CallOptions } from '../../call/CallOptions.ts'
import type { Api, AsOf, Eip5792, UnsignedTransaction, Warning } from '../../generated/api.ts'
import { isSameHex } from '../../request/isSameHex.ts'
import type { ChainReads, KnownSubscription } from '../ChainReads.ts'
import type {
  MinedCalls,
  ProtocolEvent,
  SubscriptionEvent,
  SubscriptionEventName,
} from '../wait/decodeEvents.ts'

/** The fields of a prepare's answer that sending needs. */
export interface PreparedBatch {
  readonly chainId: number
  readonly asOf: AsOf
  readonly warnings: readonly Warning[]
  readonly unsignedTransactions?: readonly UnsignedTransaction[]
  /** Unix seconds, by the chain's clock, of the midnight before which it has to be signed. */
  readonly validUntil?: number
  readonly eip5792?: Pick<Eip5792, 'capabilities'>
}

/** What every flow can be asked for with. */
export interface FlowRequest {
  /** Default: the client's, else the one that the wallet is on. */
  readonly chainId?: number | undefined
  /**
   * A paymaster (ERC-7677) that may pay the network's fee: an https URL, on a development chain also http on this machine.
   * A wallet that has `wallet_sendCalls` is given it there, and may ask it; every other wallet sends as without.
   */
  readonly paymasterUrl?: string | undefined
}

/** One flow: how it is prepared, and how its result is read. */
export interface FlowDefinition<Prepared extends PreparedBatch, Result, Told> {
  /** Whether it could be done now. */
  readiness(from: Address, options: CallOptions): Promise<Told>
  /** The unsigned transactions. */
  prepare(from: Address, options: CallOptions): Promise<Prepared>
  /** Of what it calls beside the protocol’s contract and ERC-20. */
  readonly abi?: Abi
  /** Whether nothing is left to send, because it is so already. Default: never. */
  isDone?(prepared: Prepared): boolean
  /**
   * How the result is read. Throws TermsDifferError where the caller agreed to other terms.
   * @param prepared what is sent now; left out for what was sent before
   */
  conclusion(context: SentContext, prepared?: Prepared): Promise<Conclusion<Result>>
}

/** Who has sent it, and where. */
export interface SentContext {
  readonly account: Address
  readonly contract: Address
  readonly reads: ChainReads
}

/** A flow that was asked for, before its chain is known. */
export interface RequestedFlow<Prepared extends PreparedBatch, Result, Told> {
  /** The chain that the caller has named. `undefined`: the wallet's own, and without a wallet the service's default. */
  readonly chainId: number | undefined
  /** @param api who prepares it */
  on(api: Api, chainId: number | undefined): FlowDefinition<Prepared, Result, Told>
}

/** How the result of a flow is read once it is mined, and what of it the budget counts. */
export interface Conclusion<Result> {
  /** What the wallet commits itself to, month after month, if to anything. */
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

/** The conclusion of a flow that sets an allowance. It is read from the chain, because not every token logs an approval. */
export function allowanceConclusion(
  token: Address,
  { account, reads }: Pick<SentContext, 'account' | 'reads'>,
): Conclusion<{ readonly token: Address; readonly allowanceRaw: bigint | null }> {
  return {
    conclude: async () => ({
      token,
      allowanceRaw: await reads.allowance(token, account).catch(() => null),
    }),
  }
}

/** The first SubLog with this name, and with this id, subscriber and provider as far as they are given. */
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
