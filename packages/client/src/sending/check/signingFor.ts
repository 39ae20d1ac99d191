import type { Address } from 'viem'
import { apiOf, SURROUNDINGS } from '../../createApiClient.ts'
import type { Api } from '../../generated/api.ts'
import { openNode } from '../../node/openNode.ts'
import { tryingAgain } from '../../request/createCaller.ts'
import type { OwnWrites } from '../../request/freshCaller.ts'
import type { SignedPermits } from '../signed/SignedPermits.ts'
import {
  assertOnChain,
  bringToChain,
  connectedAccount,
  currentChain,
  type Reader,
  type SendOptions,
  type Wallet,
} from '../wallet/Wallet.ts'
import { contractFor } from './findContract.ts'
import type { Sender, Signing } from './prepareHere.ts'

/** Who signs for a flow, and where. Throws UnknownContractError, WrongChainError, NoAccountError. */
export async function signingFor(
  sender: Sender,
  named: number | undefined,
  wallet: Wallet,
  options: SendOptions,
): Promise<Signing> {
  options.signal?.throwIfAborted()
  const account = await connectedAccount(wallet)
  // The chain is decided before a service is asked for anything: the service must not choose it.
  const chainId = named ?? (await currentChain(wallet))
  const contract = await contractFor(sender, chainId)
  if (options.switchChain === true) await bringToChain(wallet, chainId)
  else await assertOnChain(wallet, chainId)
  const here = nodeApi(options.publicClient ?? wallet, { ...sender, chainId, contract })
  return { wallet, account, chainId, contract, here, options }
}

/**
 * The operations at the node that a wallet reads by. It is made anew for each sending, so that each begins with the node's newest block
 * and not with one that was kept.
 */
export function nodeApi(
  node: Reader,
  {
    chainId,
    contract,
    ownWrites,
    signedPermits,
  }: {
    readonly chainId: number
    readonly contract: Address
    readonly ownWrites: OwnWrites
    readonly signedPermits: SignedPermits
  },
): Api {
  const options = {
    node,
    contracts: { [chainId]: contract },
    chainId,
    retries: 0,
    outstandingPermits: signedPermits.find,
  }
  return apiOf(
    tryingAgain(openNode(options, SURROUNDINGS).attempt(undefined), options, SURROUNDINGS),
    ownWrites,
    chainId,
  )
}
