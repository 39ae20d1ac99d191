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

// The types of top-ups: a wallet gives a member money, by a transfer or by a signed transfer (EIP-3009) that anybody carries to the chain
// (`sign.ts`, `carry.ts`). The protocol's contract has no part in it.

export interface TopUpRequest extends FlowRequest {
  /** The member who gets the money. Nobody can take it back. */
  readonly account: Address
  readonly token: Address
  /**
   * How much, in the token's smallest unit, as decimal text. What a member lacks is `toAdd.balance` of `getAccountOutlook`, and
   * `preflight.missing` of this flow.
   */
  readonly value: string
}

/**
 * A transfer that a wallet has signed, for anybody to carry to the chain (EIP-3009). It is plain JSON. The nonce that the token asks for
 * is left out: it is the hash of the other fields but the signature.
 */
export interface SignedTopUp {
  readonly chainId: number
  readonly token: Address
  /** Whose money it is. */
  readonly payer: Address
  /** Who gets it. */
  readonly account: Address
  /** In the token's smallest unit, as decimal text. */
  readonly value: string
  /** Unix time in seconds. Until then whoever holds the signature can carry the transfer, once. */
  readonly validBefore: number
  readonly signature: Hex
}

export interface SignTopUpOptions
  extends Pick<SendOptions, 'publicClient' | 'signal' | 'switchChain' | 'timeoutMs'> {
  /** Until when the transfer can be carried, unix time in seconds: at most seven days ahead. Default: an hour ahead. */
  readonly validBefore?: number | undefined
}

/** The result of a top-up, sent or carried. */
export interface ToppedUp {
  readonly token: Address
  readonly account: Address
  /** What the account holds now, in the token's smallest unit; `null` where it could not be read. */
  readonly balanceRaw: bigint | null
}

/** Giving a member money, by a transfer or by a signature. */
export interface TopUpFlow extends Flow<PrepareTopUpAnswer, ToppedUp, ReadinessOf<PrepareTopUpAnswer>> {
  /**
   * Has the wallet sign the same transfer. Nothing is sent: any wallet can carry the returned transfer by `carryTopUp`. The text to sign
   * is prepared at the wallet's own node, and the signed transfer is tried there before it is returned. The same transfer with the
   * same `validBefore`, signed twice, pays once; with another `validBefore` it is another transfer, and pays again.
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
  /**
   * Prepares the transfer that a wallet is to sign in place of sending it: the answer has it in `authorization`.
   * @param from the wallet, whose money it is
   * @param validBefore the end of the transfer, as in SignTopUpOptions; `undefined`: the default
   */
  offer(from: Address, validBefore: number | undefined, options: CallOptions): Promise<PrepareTopUpAnswer>
}

/** A top-up that was asked for, before its chain is known. */
export interface RequestedTopUp
  extends RequestedFlow<PrepareTopUpAnswer, ToppedUp, ReadinessOf<PrepareTopUpAnswer>> {
  /** The top-up on one chain, with `api` to prepare it. */
  on(api: Api, chainId: number | undefined): TopUpDefinition
}

/** How the result of a top-up is read once it is mined: what the account holds then. */
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
