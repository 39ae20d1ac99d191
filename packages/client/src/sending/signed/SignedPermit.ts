import type { Address, Hex } from 'viem'
import type { Api, CarriedPermit, PermitToSign, PrepareCarryPermitAnswer } from '../../generated/api.ts'
import type { Flow, ReadinessOf } from '../flows/Flow.ts'
import type { FlowDefinition, PreparedBatch, RequestedFlow } from '../send/FlowDefinition.ts'
import type { SendOptions, Wallet } from '../wallet/Wallet.ts'

// The types of signed permits: by `PermitFlow` a wallet signs an allowance for the protocol's contract in place of sending an approval
// (`sign.ts`), and by the carry flows anybody takes it to the chain and pays the gas (`carry.ts`, `carryPermits.ts`).

/** A permission that a wallet has signed, for anybody to carry to the chain. It is plain JSON. */
export interface SignedPermit {
  readonly chainId: number
  readonly token: Address
  /** Whose permission it is. */
  readonly owner: Address
  /** The allowance, in the token's smallest unit, as decimal text. Absent in a permit of DAI's own form, which has `allowed`. */
  readonly value?: string
  /** true: any amount is allowed; false: none. */
  readonly allowed?: boolean
  /** Unix time in seconds. Until then whoever holds it can set this allowance, once, also after a later approval or revocation. */
  readonly deadline: number
  readonly signature: Hex
}

export interface SignOptions
  extends Pick<SendOptions, 'maxApproval' | 'publicClient' | 'signal' | 'switchChain' | 'timeoutMs'> {
  /** Until when the permit can be carried, unix time in seconds: at most seven days ahead. Default: an hour ahead. */
  readonly deadline?: number | undefined
}

/** A flow whose allowance can be signed for as well, by a wallet without ether. */
export interface PermitFlow<Prepared, Result, Readiness> extends Flow<Prepared, Result, Readiness> {
  /**
   * Has the wallet sign a permit of the same allowance. Nothing is sent: any wallet can carry the returned permit by `carryPermit`.
   * The text to sign is prepared at the wallet's own node, as every transaction is, and the signed permit is tried there before it
   * is returned.
   * @throws RemitError with the code PERMIT_UNSUPPORTED where the token takes no permit; SendingError
   *
   * @example
   * const signed = await client.extendCoverage({ token, approvalPeriods: 12 }).sign(wallet)
   * console.log(JSON.stringify(signed))
   */
  sign(wallet: Wallet, options?: SignOptions): Promise<SignedPermit>
}

/** A prepare's answer that may have a permit in place of transactions. */
export interface PreparedPermit extends PreparedBatch {
  readonly permit?: PermitToSign
}

/** The definition of a flow whose allowance can be signed for. */
export interface PermitDefinition<Prepared extends PreparedPermit, Result, Readiness>
  extends FlowDefinition<Prepared, Result, Readiness> {
  /**
   * Prepares the permit that a wallet is to sign in place of sending transactions: the answer has it in `permit`.
   * @param from the wallet, which is the permit's owner
   * @param deadline the end of the permit, as in SignOptions; `undefined`: the default
   */
  offer(
    from: Address,
    deadline: number | undefined,
    options: Parameters<FlowDefinition<Prepared, Result, Readiness>['prepare']>[1],
  ): Promise<Prepared>
}

/** A flow whose allowance can be signed for, before its chain is known. */
export interface RequestedPermit<Prepared extends PreparedPermit, Result, Readiness>
  extends RequestedFlow<Prepared, Result, Readiness> {
  /** The flow on one chain, with `api` to prepare it. */
  on(api: Api, chainId: number | undefined): PermitDefinition<Prepared, Result, Readiness>
}

/** The result of carrying one permit. */
export interface PermitCarried {
  readonly token: Address
  readonly owner: Address
  /** How much the protocol's contract may take of the owner from now on, in the token's smallest unit; `null` where it could not be read. */
  readonly allowanceRaw: bigint | null
}

/** Anybody's sending of a signed permit to the chain ("carrying"). */
export type CarryPermitFlow = Flow<
  PrepareCarryPermitAnswer,
  PermitCarried,
  ReadinessOf<PrepareCarryPermitAnswer>
>

export interface CarryPermitsRequest {
  /** One at least, of one chain; of any owners and tokens. */
  readonly permits: readonly SignedPermit[]
}

/** What was prepared of several permits: one transaction for each that can still be carried. */
export interface PreparedCarries extends PreparedBatch {
  readonly gasSummary: { readonly totalEstimatedCostEth: string }
  /** What each permit does that is not in `left`. Those with `alreadyCarried` are on the chain by now; the others are yet to be carried. */
  readonly carried: readonly CarriedPermit[]
  /** The permits that are void, because their token would not take them any more: nothing is sent for them. */
  readonly left: readonly SignedPermit[]
}

/** Whether several permits can be carried now. */
export interface PermitsReadiness {
  readonly chainId: number
  /** Whether each in `permits` can be. */
  readonly ready: boolean
  /** The readiness of each permit that is not in `left`. */
  readonly permits: readonly ReadinessOf<PrepareCarryPermitAnswer>[]
  /** The permits that are void. */
  readonly left: readonly SignedPermit[]
}

/** The result of carrying several permits. */
export interface PermitsCarried {
  /** What each owner allows from now on, for each permit that is not in `left`. */
  readonly permits: readonly PermitCarried[]
  /** The permits that had become void, and were not sent. Always empty from `follow`, which does not know them: its `permits` has all. */
  readonly left: readonly SignedPermit[]
}

/** Anybody's carrying of several permits. */
export type CarryPermitsFlow = Flow<PreparedCarries, PermitsCarried, PermitsReadiness>
