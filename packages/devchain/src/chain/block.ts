import {
  type Abi,
  type Address,
  type ContractFunctionArgs,
  type ContractFunctionName,
  encodeFunctionData,
  type Hex,
  isHex,
  numberToHex,
  type TransactionReceipt,
} from 'viem'
import * as z from 'zod'
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
  const receipts = await mineCalls(client, calls, timestamp)
  const failed = receipts.findIndex(({ status }) => status !== 'success')
  if (failed !== -1) {
    const { blockNumber = 0n } = receipts[failed] ?? {}
    throw new Error(`Transaction ${failed} of block ${blockNumber}, ${calls[failed]?.label}, reverted`)
  }
  return receipts
}

/** Mines all calls as `mineBlock` does, and returns the receipts of those that reverted too. */
export async function mineCalls(
  client: DevClient,
  calls: readonly Call[],
  timestamp?: number,
): Promise<TransactionReceipt[]> {
  const setTime = async () => {
    if (timestamp !== undefined) await client.setNextBlockTimestamp({ timestamp: BigInt(timestamp) })
  }
  const [only, ...others] = calls
  if (only === undefined) {
    await setTime()
    await client.mine({ blocks: 1 })
    return []
  }
  if (others.length === 0) {
    await setTime()
    return [await mineAtOnce(client, only)]
  }
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
    await setTime()
    await client.mine({ blocks: 1 })
    return await Promise.all(hashes.map((hash) => client.getTransactionReceipt({ hash })))
  } finally {
    await client.setAutomine(true)
  }
}

const Mined = z.object({ transactionHash: z.custom<Hex>(isHex) })

/** Mines one transaction in a block of its own, by automine. Nothing is polled: `eth_sendTransactionSync` is answered once its block is mined. */
export async function mineAtOnce(
  client: Pick<DevClient, 'transport' | 'getTransactionReceipt'>,
  { from, to, data, gas = CALL_GAS }: Omit<Call, 'label'>,
): Promise<TransactionReceipt> {
  const transaction = { from, data, gas: numberToHex(gas), ...(to !== undefined && { to }) }
  const answer: unknown = await client.transport.request({
    method: 'eth_sendTransactionSync',
    params: [transaction],
  })
  return client.getTransactionReceipt({ hash: Mined.parse(answer).transactionHash })
}
