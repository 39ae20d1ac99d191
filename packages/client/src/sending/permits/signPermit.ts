import { maxUint256, type TypedData, type TypedDataDefinition } from 'viem'
import { RemitError } from '../../errors/RemitError.ts'
import type { Api, PermitToSign } from '../../generated/api.ts'
import { ChainReads } from '../chain/ChainReads.ts'
import { assertWithin, atOwnNode, type Sender } from '../check/prepareHere.ts'
import { signingFor } from '../check/signingFor.ts'
import { UnsafeTransactionError } from '../errors.ts'
import { roomFor } from '../send/concludeFlow.ts'
import type { PreparedBatch } from '../send/FlowDefinition.ts'
import { askForSignature } from '../signed/askForSignature.ts'
import { stepOptions } from '../wallet/stepOptions.ts'
import type { Wallet } from '../wallet/Wallet.ts'
import { carryInput } from './carryPermit.ts'
import type { RequestedPermit, SignedPermit, SignOptions } from './SignedPermit.ts'

/**
 * Has a wallet sign for what its own node prepares, and tries there what it has signed.
 * @throws SendingError, and whatever preparing throws
 */
export async function signPermit<
  Prepared extends PreparedBatch & { readonly permit?: PermitToSign },
  Result,
  Told,
>(
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
  await assertTaken(here, signed, options)
  const { deadline: until, nonce } = permit
  sender.signedPermits.note(chainId, signed, { value: allowance.most, deadline: until, nonce })
  return signed
}

/** What the permit allows, as it is handed on, and as an amount. */
function permittedBy({ message: { value, allowed = false } }: PermitToSign) {
  return value === undefined
    ? { allowed, most: allowed ? maxUint256 : 0n }
    : { value: value.toString(), most: value }
}

/** Throws UnsafeTransactionError where the token would not take what the wallet has signed. */
async function assertTaken(here: Api, signed: SignedPermit, options: SignOptions): Promise<void> {
  const asked = { ...carryInput(signed), from: signed.owner, readinessOnly: true }
  await atOwnNode(here.prepareCarryPermit(asked, stepOptions(options))).catch((error: unknown) => {
    const isVoid = error instanceof RemitError && error.code === 'PERMIT_VOID'
    throw isVoid ? new UnsafeTransactionError('the wallet has signed something else') : error
  })
}
