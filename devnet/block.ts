import {
  type Abi,
  type Address,
  type ContractFunctionArgs,
  type ContractFunctionName,
  encodeFunctionData,
  type Hex,
  type TransactionReceipt,
} from 'viem'
import type { DevClient } from './client.ts'

/** One transaction of an unlocked account. Without `to` it deploys `data`. */
export interface Call {
  readonly from: Address
  readonly to?: Address
  readonly data: Hex
  readonly gas?: bigint
  /** Its name in error messages. */
  readonly label: string
}

/** The gas limit of a transaction since the Osaka fork. */
export const MAX_TRANSACTION_GAS = 16_777_216n

/** More than any user action takes. An explicit limit lets many transactions fit into one block. */
const CALL_GAS = 800_000n

/** Encodes a typed call of a contract's function, to be mined with others. */
export function callOf<
  const abi extends Abi,
  name extends ContractFunctionName<abi, 'nonpayable' | 'payable'>,
>(
  from: Address,
  contract: { readonly address: Address; readonly abi: abi },
  functionName: name,
  args: ContractFunctionArgs<abi, 'nonpayable' | 'payable', name> & readonly unknown[],
  gas = CALL_GAS,
): Call {
  const untyped: { abi: Abi; functionName: string; args: readonly unknown[] } = {
    abi: contract.abi,
    functionName,
    args,
  }
  return { from, to: contract.address, data: encodeFunctionData(untyped), gas, label: functionName }
}

/**
 * Mines all calls, in this order, in one block of exactly this time, and returns their receipts.
 *
 * Throws if one of them reverts or does not fit into the block: an incomplete history would be useless.
 * @param timestamp unix seconds; not before the last block's
 */
export async function mineBlock(
  client: DevClient,
  calls: readonly Call[],
  timestamp?: number,
): Promise<TransactionReceipt[]> {
  await client.setAutomine(false)
  try {
    // One after the other: the order of arrival is the order in the block (`--order fifo`).
    const hashes: Hex[] = []
    for (const { from, to, data, gas = CALL_GAS } of calls) {
      hashes.push(
        await client.sendTransaction({
          account: from,
          chain: null,
          data,
          gas,
          ...(to !== undefined && { to }),
        }),
      )
    }
    if (timestamp !== undefined) await client.setNextBlockTimestamp({ timestamp: BigInt(timestamp) })
    await client.mine({ blocks: 1 })
    const receipts = await Promise.all(hashes.map((hash) => client.getTransactionReceipt({ hash })))
    const failed = receipts.findIndex(({ status }) => status !== 'success')
    if (failed !== -1) {
      const { blockNumber = 0n } = receipts[failed] ?? {}
      throw new Error(`Transaction ${failed} of block ${blockNumber}, ${calls[failed]?.label}, reverted`)
    }
    return receipts
  } finally {
    await client.setAutomine(true)
  }
}
