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
 * Throws WrongChainError where the wallet says that it is on another chain, whatever its client was made for, and
 * WalletFailedError where it does not say.
 */
export async function assertOnChain(wallet: Wallet, chainId: number): Promise<void> {
  const actual = await currentChain(wallet)
  if (actual !== chainId) throw new WrongChainError(chainId, actual)
}

/**
 * Asks the wallet to switch to a chain, unless it is on it. Throws WrongChainError where it is on another one afterwards,
 * UserRejectedError, WalletFailedError.
 */
export async function bringToChain(wallet: Wallet, chainId: number): Promise<void> {
  const actual = await currentChain(wallet)
  if (actual === chainId) return
  try {
    await switchChain(wallet, { id: chainId })
  } catch (error) {
    if (isRejection(error)) throw walletError('switching chains', error)
    throw new WrongChainError(chainId, actual, { cause: error })
  }
  await assertOnChain(wallet, chainId)
}

/** The chain that the wallet says it is on. Throws WalletFailedError where it does not say. */
export async function currentChain(wallet: Wallet): Promise<number> {
  try {
    return await getChainId(wallet)
  } catch (error) {
    throw walletError('telling its chain', error)
  }
}
