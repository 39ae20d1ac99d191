import { assertOnChain, bringToChain, connectedAccount, currentChain } from '../wallet/account.ts'
import type { SendOptions, Wallet } from '../wallet/Wallet.ts'
import { contractFor } from './findContract.ts'
import { nodeApi } from './nodeApi.ts'
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
