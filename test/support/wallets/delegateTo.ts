import { type Address, createWalletClient, type HDAccount, http } from 'viem'
import type { TestChain } from '../chain/useTestChain.ts'

/** Delegates a key's account to a contract's code, by an authorization that the key has signed (EIP-7702). */
export async function delegateTo(chain: TestChain, key: HDAccount, contract: Address): Promise<void> {
  const wallet = createWalletClient({ account: key, transport: http(chain.url, { retryCount: 0 }) })
  const authorization = await wallet.signAuthorization({ contractAddress: contract, executor: 'self' })
  const hash = await wallet.sendTransaction({
    chain: null,
    to: key.address,
    authorizationList: [authorization],
    gas: 200_000n,
  })
  const { status } = await chain.client.waitForTransactionReceipt({ hash })
  if (status !== 'success') throw new Error(`${key.address} could not delegate its account`)
}
