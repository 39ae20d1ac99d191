import { type Address, BaseError, ContractFunctionZeroDataError, parseAbi, serializeTransaction } from 'viem'
import type { NodeFees, RemitTransaction } from '../ports/ports.ts'
import type { OwnNode } from './OwnNode.ts'

/** The OP Stack's gas price oracle, which returns the L1 fee of a transaction. */
const GAS_PRICE_ORACLE: Address = '0x420000000000000000000000000000000000000F'
const oracleAbi = parseAbi(['function getL1Fee(bytes data) view returns (uint256)'])

/** The most per gas is twice the next base fee and the priority fee: enough for five full blocks in a row. */
export async function readFees(node: OwnNode): Promise<NodeFees> {
  const [{ baseFeePerGas }, maxPriorityFeePerGas] = await Promise.all([
    node.getFeeHistory({ blockCount: 1, rewardPercentiles: [] }),
    node.estimateMaxPriorityFeePerGas(),
  ])
  // The last row is the next block's.
  const baseFee = baseFeePerGas.at(-1)
  if (baseFee === undefined) throw new Error('The node tells no base fee')
  return {
    nextFeePerGas: baseFee + maxPriorityFeePerGas,
    maxFeePerGas: 2n * baseFee + maxPriorityFeePerGas,
    maxPriorityFeePerGas,
  }
}

/** In wei; 0 on chains without the oracle. It takes the unsigned bytes and adds a signature's worth by itself. */
export async function readL1DataFee(
  node: OwnNode,
  { fees, to, data, chainId, nonce, gas }: RemitTransaction,
): Promise<bigint> {
  const bytes = serializeTransaction({ to, data, chainId, nonce, gas, ...fees, type: 'eip1559', value: 0n })
  try {
    return await node.readContract({
      address: GAS_PRICE_ORACLE,
      abi: oracleAbi,
      functionName: 'getL1Fee',
      args: [bytes],
    })
  } catch (error) {
    if (isAbsent(error)) return 0n
    throw error
  }
}

/** Without a contract at the address, a call succeeds and returns nothing. */
function isAbsent(error: unknown): boolean {
  return (
    error instanceof BaseError &&
    error.walk((cause) => cause instanceof ContractFunctionZeroDataError) !== null
  )
}
