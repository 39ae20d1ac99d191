import type { Account } from 'viem'
import { parseAccount } from 'viem/accounts'
import { getAddresses, getChainId, switchChain } from 'viem/actions'
import { NoAccountError, WrongChainError } from '../errors.ts'
import type { Wallet } from './Wallet.ts'
import { isRejection, walletError } from './walletErrors.ts'

/** Who signs: the wallet client's account, else the first that the wallet has given. Throws NoAccountError. */
export async function connectedAccount(wallet: Wallet): Promise<Account> {
  if (wallet.account !== undefined) return wallet.account
  try {
    const [first] = await getAddresses(wallet)
    if (first !== undefined) return parseAccount(first)
  } catch (cause) {
    throw new NoAccountError({ cause })
  }
  throw new NoAccountError()
}

/**
 * Asks the wallet which chain it is on, whatever its client was made for, and has it switch where that may be asked.
 * Throws WrongChainError, UserRejectedError, WalletFailedError.
 */
export async function bringToChain(wallet: Wallet, chainId: number, maySwitch: boolean): Promise<void> {
  const actual = await currentChain(wallet)
  if (actual === chainId) return
  if (!maySwitch) throw new WrongChainError(chainId, actual)
  try {
    await switchChain(wallet, { id: chainId })
  } catch (error) {
    if (isRejection(error)) throw walletError('switching chains', error)
    throw new WrongChainError(chainId, actual, { cause: error })
  }
  const switched = await currentChain(wallet)
  if (switched !== chainId) throw new WrongChainError(chainId, switched)
}

/** Throws WalletFailedError where the wallet does not say it. */
export async function currentChain(wallet: Wallet): Promise<number> {
  try {
    return await getChainId(wallet)
  } catch (error) {
    throw walletError('telling its chain', error)
  }
}
