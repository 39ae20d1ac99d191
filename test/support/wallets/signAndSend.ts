import { Address, Bytes } from '@remit/engine/schema/hex'
import { HexQuantity, Uint256 } from '@remit/engine/schema/numbers'
import { createWalletClient, type Hex, http, type LocalAccount, type TransactionReceipt } from 'viem'
import * as z from 'zod'
import { minedReceipt } from '../chain/minedReceipt.ts'
import type { TestChain } from '../chain/useTestChain.ts'

const Prepared = z.object({
  unsignedTransactions: z.array(
    z.object({ to: Address, data: Bytes, value: HexQuantity, chainId: z.number(), from: Address }),
  ),
  gasEstimates: z.array(
    z.object({ gasLimit: Uint256, maxFeePerGas: Uint256, maxPriorityFeePerGas: Uint256 }),
  ),
})

/**
 * Signs what was prepared with a local key and sends it raw, in order, with just the gas and the fees that
 * were estimated. Every transaction is mined before the next, whatever becomes of it.
 */
export async function signAndSend(
  chain: Pick<TestChain, 'url' | 'client'>,
  signer: LocalAccount,
  prepared: unknown,
): Promise<{ hashes: Hex[]; receipts: TransactionReceipt[] }> {
  const { unsignedTransactions, gasEstimates } = Prepared.parse(prepared)
  const wallet = createWalletClient({ account: signer, transport: http(chain.url) })
  const hashes: Hex[] = []
  const receipts: TransactionReceipt[] = []
  for (const [index, { to, data, value, chainId, from }] of unsignedTransactions.entries()) {
    if (from !== signer.address) throw new Error(`transaction ${index} is for ${from}`)
    const gas = gasEstimates[index]
    if (gas === undefined) throw new Error(`transaction ${index} has no gas estimate`)
    const { gasLimit, maxFeePerGas, maxPriorityFeePerGas } = gas
    const nonce = await chain.client.getTransactionCount({ address: signer.address })
    const serializedTransaction = await signer.signTransaction({
      type: 'eip1559',
      chainId,
      nonce,
      to,
      data,
      value,
      gas: gasLimit,
      maxFeePerGas,
      maxPriorityFeePerGas,
    })
    const hash = await wallet.sendRawTransaction({ serializedTransaction })
    hashes.push(hash)
    receipts.push(await minedReceipt(chain.client, hash))
  }
  return { hashes, receipts }
}
