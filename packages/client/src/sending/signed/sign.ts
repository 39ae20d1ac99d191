import { type Account, type Hex, maxUint256, type TypedData, type TypedDataDefinition } from 'viem'
import { signTypedData } from 'viem/actions'
import { RemitError } from '../../errors/RemitError.ts'
import type { Api, PermitToSign } from '../../generated/api.ts'
import { ChainReads } from '../ChainReads.ts'
import { assertWithin, atOwnNode, type Sender } from '../check/prepareHere.ts'
import { signingFor } from '../check/signingFor.ts'
import { UnsafeTransactionError } from '../errors.ts'
import { roomFor } from '../send/concludeFlow.ts'
import { assertOnChain, stepOptions, type Wallet } from '../wallet/Wallet.ts'
import { walletError } from '../wallet/walletErrors.ts'
import { carryInput, carryTopUpInput } from './carry.ts'
import type { PreparedPermit, RequestedPermit, SignedPermit, SignOptions } from './SignedPermit.ts'
import type { RequestedTopUp, SignedTopUp, SignTopUpOptions } from './SignedTopUp.ts'

/**
 * `sign` of a flow with an allowance: has the wallet sign the permit that its own node prepares, and tries there what it has signed.
 * @throws SendingError, and whatever preparing throws
 */
export async function signPermit<Prepared extends PreparedPermit, Result, Told>(
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
  const allowance = permittedBy(permit)
  assertWithin(allowance.most, options)
  const conclusion = await definition.conclusion({ account: account.address, contract, reads }, prepared)
  const room = roomFor(sender, { ...signing, from: account.address, reads }, conclusion)
  // Only asked whether there is room: what is signed here subscribes to nothing.
  await room?.take(() => {})
  room?.release()
  const { domain, types, message } = permit
  const typed: TypedDataDefinition<TypedData, string> = {
    domain,
    types: { ...types },
    primaryType: 'Permit',
    message,
  }
  const signature = await askForSignature(signing, typed, 'signing the permit')
  const { most: _, ...stated } = allowance
  const signed = {
    chainId,
    token: domain.verifyingContract,
    owner: account.address,
    ...stated,
    deadline: permit.deadline,
    signature,
  }
  await assertPermitTaken(here, signed, options)
  const { deadline: until, nonce } = permit
  sender.signedPermits.note(chainId, signed, { value: allowance.most, deadline: until, nonce })
  return signed
}

/** What the permit allows, as it is handed on, and as an amount (`most`). In DAI's own form it has no `value`: all, or nothing. */
function permittedBy({ message: { value, allowed = false } }: PermitToSign) {
  return value === undefined
    ? { allowed, most: allowed ? maxUint256 : 0n }
    : { value: value.toString(), most: value }
}

/** Throws UnsafeTransactionError where the token would not take what the wallet has signed. */
async function assertPermitTaken(here: Api, signed: SignedPermit, options: SignOptions): Promise<void> {
  const asked = { ...carryInput(signed), from: signed.owner, readinessOnly: true }
  await atOwnNode(here.prepareCarryPermit(asked, stepOptions(options))).catch((error: unknown) => {
    const isVoid = error instanceof RemitError && error.code === 'PERMIT_VOID'
    throw isVoid ? new UnsafeTransactionError('the wallet has signed something else') : error
  })
}

/**
 * `sign` of a top-up: has the wallet sign the transfer that its own node prepares, and tries there what it has signed.
 * @throws SendingError, and whatever preparing throws
 */
export async function signTopUp(
  sender: Sender,
  requested: RequestedTopUp,
  wallet: Wallet,
  { validBefore, ...options }: SignTopUpOptions = {},
): Promise<SignedTopUp> {
  const signing = await signingFor(sender, requested.chainId, wallet, options)
  const { account, chainId, contract, here } = signing
  if (options.publicClient !== undefined) {
    await new ChainReads(options.publicClient, contract).assertChain(chainId)
  }
  const definition = requested.on(here, chainId)
  const { authorization } = await atOwnNode(
    definition.offer(account.address, validBefore, stepOptions(options)),
  )
  if (authorization === undefined) {
    throw new UnsafeTransactionError('nothing was prepared that could be signed')
  }
  const { domain, types, message } = authorization
  const typed = { domain, types: { ...types }, primaryType: 'TransferWithAuthorization', message }
  const signature = await askForSignature(signing, typed, 'signing the transfer')
  const signed = {
    chainId,
    token: domain.verifyingContract,
    payer: account.address,
    account: message.to,
    value: message.value.toString(),
    validBefore: authorization.validBefore,
    signature,
  }
  await assertTransferTaken(here, signed, options)
  return signed
}

/** Throws UnsafeTransactionError where the token would not take what the wallet has signed. */
async function assertTransferTaken(here: Api, signed: SignedTopUp, options: SignTopUpOptions): Promise<void> {
  const asked = { ...carryTopUpInput(signed), from: signed.payer, readinessOnly: true }
  await atOwnNode(here.prepareCarryTopUp(asked, stepOptions(options))).catch((error: unknown) => {
    const isOther =
      error instanceof RemitError && error.code === 'AUTHORIZATION_VOID' && error.facts.flaw === 'signature'
    throw isOther ? new UnsafeTransactionError('the wallet has signed something else') : error
  })
}

/**
 * Has a wallet sign what its own node has prepared.
 * @param what named where it fails: "signing the permit"
 * @throws WrongChainError, UserRejectedError, WalletFailedError
 */
async function askForSignature(
  {
    wallet,
    account,
    chainId,
  }: { readonly wallet: Wallet; readonly account: Account; readonly chainId: number },
  typed: TypedDataDefinition<TypedData, string>,
  what: string,
): Promise<Hex> {
  await assertOnChain(wallet, chainId)
  return signTypedData(wallet, { account, ...typed }).catch((error: unknown) => {
    throw walletError(what, error)
  })
}
