import type { Account, Hex, TypedData, TypedDataDefinition } from 'viem'
import { signTypedData } from 'viem/actions'
import { assertOnChain } from '../wallet/account.ts'
import type { Wallet } from '../wallet/Wallet.ts'
import { walletError } from '../wallet/walletErrors.ts'

/**
 * Has a wallet sign what its own node has prepared.
 * @param what named where it fails: "signing the permit"
 * @throws WrongChainError, UserRejectedError, WalletFailedError
 */
export async function askForSignature(
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
