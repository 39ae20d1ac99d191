import type { Address, Hex, TypedData, TypedDataDefinition } from 'viem'
import { signTypedData } from 'viem/actions'
import { RemitError } from '../../errors/RemitError.ts'
import type { Api, PermitToSign, PrepareCarryPermitAnswer } from '../../generated/api.ts'
import { ChainReads } from '../chain/ChainReads.ts'
import { atOwnNode, type Sender, signingFor } from '../check/prepareHere.ts'
import { TransactionRevertedError, UnsafeTransactionError, WouldRevertError } from '../errors.ts'
import { roomFor } from '../send/concludeFlow.ts'
import type { FlowDefinition, PreparedBatch, RequestedFlow } from '../send/FlowDefinition.ts'
import { assertOnChain } from '../wallet/account.ts'
import { stepOptions } from '../wallet/stepOptions.ts'
import type { SendOptions, Wallet } from '../wallet/Wallet.ts'
import { walletError } from '../wallet/walletErrors.ts'
import { createFlow, type Flow } from './Flow.ts'
import { type ReadinessOf, readinessIn } from './Readiness.ts'

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

/** The definition of a flow whose allowance can be signed for. */
export interface PermitDefinition<
  Prepared extends PreparedBatch & { readonly permit?: PermitToSign },
  Result,
  Told,
> extends FlowDefinition<Prepared, Result, Told> {
  /** What is to be signed in place of being sent. */
  offer(
    from: Address,
    deadline: number | undefined,
    options: Parameters<FlowDefinition<Prepared, Result, Told>['prepare']>[1],
  ): Promise<Prepared>
}

interface RequestedPermit<Prepared extends PreparedBatch & { readonly permit?: PermitToSign }, Result, Told>
  extends RequestedFlow<Prepared, Result, Told> {
  on(api: Api, chainId: number | undefined): PermitDefinition<Prepared, Result, Told>
}

export function createPermitFlow<
  Prepared extends PreparedBatch & { readonly permit?: PermitToSign },
  Result,
  Told,
>(sender: Sender, requested: RequestedPermit<Prepared, Result, Told>): PermitFlow<Prepared, Result, Told> {
  return {
    ...createFlow(sender, requested),
    sign: (wallet, options) => signPermit(sender, requested, wallet, options),
  }
}

async function signPermit<Prepared extends PreparedBatch & { readonly permit?: PermitToSign }, Result, Told>(
  sender: Sender,
  requested: RequestedPermit<Prepared, Result, Told>,
  wallet: Wallet,
  { deadline, ...options }: SignOptions = {},
): Promise<SignedPermit> {
  const signing = await signingFor(sender, requested.chainId, wallet, options)
  const { account, chainId, contract, here } = signing
  const reads = new ChainReads(options.publicClient ?? wallet, contract)
  if (options.publicClient !== undefined) await reads.assertChain(chainId)
  const definition = requested.on(here, chainId)
  const prepared = await atOwnNode(definition.offer(account.address, deadline, stepOptions(options)))
  const { permit } = prepared
  if (permit === undefined) throw new UnsafeTransactionError('nothing was prepared that could be signed')
  const { maxApproval } = options
  const allowance = permittedBy(permit)
  if (maxApproval !== undefined && allowance.most > maxApproval) {
    throw new UnsafeTransactionError(
      `it takes an approval of ${allowance.most}, and ${maxApproval} is the most allowed`,
    )
  }
  const conclusion = await definition.conclusion({ account: account.address, contract, reads }, prepared)
  const room = roomFor(sender, { ...signing, from: account.address, reads }, conclusion)
  await room?.take(() => {})
  room?.release()
  await assertOnChain(wallet, chainId)
  const { domain, types, message } = permit
  const typed: TypedDataDefinition<TypedData, string> = {
    domain,
    types: { ...types },
    primaryType: 'Permit',
    message,
  }
  const signature = await signTypedData(wallet, { account, ...typed }).catch((error: unknown) => {
    throw walletError('signing the permit', error)
  })
  const { most: _, ...stated } = allowance
  const signed = {
    chainId,
    token: domain.verifyingContract,
    owner: account.address,
    ...stated,
    deadline: permit.deadline,
    signature,
  }
  await assertTaken(here, signed, options)
  return signed
}

const EVERYTHING = 2n ** 256n - 1n

/** What the permit allows, as it is handed on, and as an amount. */
function permittedBy({ message: { value, allowed = false } }: PermitToSign) {
  return value === undefined
    ? { allowed, most: allowed ? EVERYTHING : 0n }
    : { value: value.toString(), most: value }
}

/** Throws UnsafeTransactionError where the token would not take what the wallet has signed. */
async function assertTaken(here: Api, signed: SignedPermit, options: SignOptions): Promise<void> {
  const asked = { ...inputOf(signed), from: signed.owner, readinessOnly: true }
  await atOwnNode(here.prepareCarryPermit(asked, stepOptions(options))).catch((error: unknown) => {
    const isVoid = error instanceof RemitError && error.code === 'PERMIT_VOID'
    throw isVoid ? new UnsafeTransactionError('the wallet has signed something else') : error
  })
}

function inputOf({ value, ...signed }: SignedPermit) {
  return { ...signed, ...(value !== undefined && { value: BigInt(value) }) }
}

export interface PermitCarried {
  readonly token: Address
  readonly owner: Address
  /** What the protocol may take of the owner from now on, in the token's smallest unit; `null` where it could not be read. */
  readonly allowanceRaw: bigint | null
}

function defineCarryPermit(
  api: Api,
  signed: SignedPermit,
): FlowDefinition<PrepareCarryPermitAnswer, PermitCarried, ReadinessOf<PrepareCarryPermitAnswer>> {
  const { token, owner } = signed
  const asked = inputOf(signed)
  return {
    readiness: (from, options) =>
      readinessIn(api.prepareCarryPermit({ ...asked, from, readinessOnly: true }, options)),
    prepare: (from, options) => api.prepareCarryPermit({ ...asked, from }, options),
    isDone: ({ preflight }) => preflight?.alreadyCarried === true,
    conclusion: async ({ reads }) => ({
      conclude: async () => ({
        token,
        owner,
        allowanceRaw: await reads.allowance(token, owner).catch(() => null),
      }),
    }),
  }
}

/** What somebody else carries meanwhile is as good as carried by oneself. */
export function carryPermitFlow(
  sender: Sender,
  signed: SignedPermit,
): Flow<PrepareCarryPermitAnswer, PermitCarried, ReadinessOf<PrepareCarryPermitAnswer>> {
  const flow = createFlow(sender, { chainId: signed.chainId, on: (api) => defineCarryPermit(api, signed) })
  return {
    ...flow,
    async send(wallet, options) {
      try {
        return await flow.send(wallet, options)
      } catch (error) {
        if (!(error instanceof WouldRevertError || error instanceof TransactionRevertedError)) throw error
        // Says that it was carried, or why it is void now.
        const { prepared: _, ...again } = options ?? {}
        return flow.send(wallet, again)
      }
    },
  }
}
