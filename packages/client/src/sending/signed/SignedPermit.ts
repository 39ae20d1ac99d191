import type { Address, Hex } from 'viem'
import type { Api, CarriedPermit, PermitToSign, PrepareCarryPermitAnswer } from '../../generated/api.ts'
import type { Flow, ReadinessOf } from '../flows/Flow.ts'
import type { FlowDefinition, PreparedBatch, RequestedFlow } from '../send/FlowDefinition.ts'
import type { SendOptions, Wallet } from '../wallet/Wallet.ts'

/** A permission that a wallet has signed, for anybody to carry to the chain. It is plain JSON. */
export interface SignedPermit {
  readonly chainId: number
  readonly token: Address
  /** Whose permission it is. */
  readonly owner: Address
  /** The allowance, in the token's smallest unit, as decimal text; `allowed` in its place by DAI's own form. */
  readonly value?: string
  readonly allowed?: boolean
  /** Unix time in seconds. Until then whoever holds it can set the allowance, also after a later approval or revocation. */
  readonly deadline: number
  readonly signature: Hex
}

export interface SignOptions
  extends Pick<SendOptions, 'maxApproval' | 'publicClient' | 'signal' | 'switchChain' | 'timeoutMs'> {
  /** Until when it can be carried, unix time in seconds: at most seven days ahead. Default: an hour ahead. */
  readonly deadline?: number | undefined
}

/** A flow whose allowance can be signed for as well, by a wallet without ether. */
export interface PermitFlow<Prepared, Result, Told> extends Flow<Prepared, Result, Told> {
  /**
   * Has the wallet sign a permit of the same allowance. Nothing is sent: `carryPermit` takes what it returns, from any wallet.
   * What is signed comes from the wallet's own node, like all that is sent, and is tried there before it is returned.
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
export interface PermitDefinition<Prepared extends PreparedPermit, Result, Told>
  extends FlowDefinition<Prepared, Result, Told> {
  /** What is to be signed in place of being sent. */
  offer(
    from: Address,
    deadline: number | undefined,
    options: Parameters<FlowDefinition<Prepared, Result, Told>['prepare']>[1],
  ): Promise<Prepared>
}

/** Such a flow, before its chain is known. */
export interface RequestedPermit<Prepared extends PreparedPermit, Result, Told>
  extends RequestedFlow<Prepared, Result, Told> {
  on(api: Api, chainId: number | undefined): PermitDefinition<Prepared, Result, Told>
}

export interface PermitCarried {
  readonly token: Address
  readonly owner: Address
  /** What the protocol may take of the owner from now on, in the token's smallest unit; `null` where it could not be read. */
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

/** What was prepared of several permits: one transaction for each that is not carried already. */
export interface PreparedCarries extends PreparedBatch {
  readonly gasSummary: { readonly totalEstimatedCostEth: string }
  /** What each does that its token would take, or that somebody has carried already. */
  readonly carried: readonly CarriedPermit[]
  /** Those that their token would not take any more: nothing is sent for them. */
  readonly left: readonly SignedPermit[]
}

export interface PermitsReadiness {
  readonly chainId: number
  readonly ready: boolean
  readonly permits: readonly ReadinessOf<PrepareCarryPermitAnswer>[]
  /** Those that their token would not take. */
  readonly left: readonly SignedPermit[]
}

export interface PermitsCarried {
  /** What each owner allows from now on. */
  readonly permits: readonly PermitCarried[]
  /** Those that had become void, and were not sent. By `follow` it is not known. */
  readonly left: readonly SignedPermit[]
}

/** Anybody's carrying of several permits. */
export type CarryPermitsFlow = Flow<PreparedCarries, PermitsCarried, PermitsReadiness>
