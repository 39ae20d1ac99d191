import type { Address, Hex } from 'viem'
import type { CallOptions } from '../../call/CallOptions.ts'
import type { Api, PrepareCarryTopUpAnswer, PrepareTopUpAnswer } from '../../generated/api.ts'
import type { Flow, ReadinessOf } from '../flows/Flow.ts'
import type {
  Conclusion,
  FlowDefinition,
  FlowRequest,
  RequestedFlow,
  SentContext,
} from '../send/FlowDefinition.ts'
import type { SendOptions, Wallet } from '../wallet/Wallet.ts'

export interface TopUpRequest extends FlowRequest {
  /** The member who gets it. Nobody can take it back. */
  readonly account: Address
  readonly token: Address
  /**
   * How much, in the token's smallest unit, as decimal text. What a member lacks is `toAdd.balance` of `getAccountOutlook`, and
   * `preflight.missing` of this flow.
   */
  readonly value: string
}

/** A transfer that a wallet has signed, for anybody to carry to the chain (EIP-3009). It is plain JSON. */
export interface SignedTopUp {
  readonly chainId: number
  readonly token: Address
  /** Whose money it is. */
  readonly payer: Address
  /** Who gets it. */
  readonly account: Address
  /** In the token's smallest unit, as decimal text. */
  readonly value: string
  /** Unix time in seconds. Until then whoever holds the signature can carry it. */
  readonly validBefore: number
  readonly signature: Hex
}

export interface SignTopUpOptions
  extends Pick<SendOptions, 'publicClient' | 'signal' | 'switchChain' | 'timeoutMs'> {
  /** Until when it can be carried, unix time in seconds: at most seven days ahead. Default: an hour ahead. */
  readonly validBefore?: number | undefined
}

export interface ToppedUp {
  readonly token: Address
  readonly account: Address
  /** What the account holds now, in the token's smallest unit; `null` where it could not be read. */
  readonly balanceRaw: bigint | null
}

/** Giving a member money, by a transfer or by a signature. */
export interface TopUpFlow extends Flow<PrepareTopUpAnswer, ToppedUp, ReadinessOf<PrepareTopUpAnswer>> {
  /**
   * Has the wallet sign the same transfer. Nothing is sent: `carryTopUp` takes what it returns, from any wallet. What is signed comes
   * from the wallet's own node, and is tried there before it is returned. The same, signed twice, pays once.
   * @throws RemitError with the code AUTHORIZATION_UNSUPPORTED where the token takes no signed transfers; SendingError
   *
   * @example
   * const signed = await client.topUp({ account, token, value: '10000000' }).sign(wallet)
   * console.log(JSON.stringify(signed))
   */
  sign(wallet: Wallet, options?: SignTopUpOptions): Promise<SignedTopUp>
}

/** Anybody's carrying of a signed transfer. */
export type CarryTopUpFlow = Flow<PrepareCarryTopUpAnswer, ToppedUp, ReadinessOf<PrepareCarryTopUpAnswer>>

/** The definition of a top-up, which can be signed for as well. */
export interface TopUpDefinition
  extends FlowDefinition<PrepareTopUpAnswer, ToppedUp, ReadinessOf<PrepareTopUpAnswer>> {
  /** What is to be signed in place of being sent. */
  offer(from: Address, validBefore: number | undefined, options: CallOptions): Promise<PrepareTopUpAnswer>
}

export interface RequestedTopUp
  extends RequestedFlow<PrepareTopUpAnswer, ToppedUp, ReadinessOf<PrepareTopUpAnswer>> {
  on(api: Api, chainId: number | undefined): TopUpDefinition
}

/** The conclusion of a flow that gives somebody money. */
export function balanceConclusion(
  { token, account }: { readonly token: Address; readonly account: Address },
  { reads }: Pick<SentContext, 'reads'>,
): Conclusion<ToppedUp> {
  return {
    conclude: async () => ({
      token,
      account,
      balanceRaw: await reads.balance(token, account).catch(() => null),
    }),
  }
}
