import { RemitError } from '../../errors/RemitError.ts'
import type { Api } from '../../generated/api.ts'
import { ChainReads } from '../chain/ChainReads.ts'
import { atOwnNode, type Sender } from '../check/prepareHere.ts'
import { signingFor } from '../check/signingFor.ts'
import { UnsafeTransactionError } from '../errors.ts'
import { askForSignature } from '../signed/askForSignature.ts'
import { stepOptions } from '../wallet/stepOptions.ts'
import type { Wallet } from '../wallet/Wallet.ts'
import { carryTopUpInput } from './carryTopUp.ts'
import type { RequestedTopUp, SignedTopUp, SignTopUpOptions } from './SignedTopUp.ts'

/**
 * Has a wallet sign the transfer that its own node prepares, and tries there what it has signed.
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
  await assertTaken(here, signed, options)
  return signed
}

/** Throws UnsafeTransactionError where the token would not take what the wallet has signed. */
async function assertTaken(here: Api, signed: SignedTopUp, options: SignTopUpOptions): Promise<void> {
  const asked = { ...carryTopUpInput(signed), from: signed.payer, readinessOnly: true }
  await atOwnNode(here.prepareCarryTopUp(asked, stepOptions(options))).catch((error: unknown) => {
    const isOther =
      error instanceof RemitError && error.code === 'AUTHORIZATION_VOID' && error.facts.flaw === 'signature'
    throw isOther ? new UnsafeTransactionError('the wallet has signed something else') : error
  })
}
