import {
  type Address,
  decodeFunctionResult,
  encodeFunctionData,
  type Hex,
  parseAbi,
  serializeTransaction,
} from 'viem'
import { type BlockReader, getResult } from '../block/BlockReader.ts'
import type { BlockView } from '../block/BlockView.ts'
import { ViewFailedError } from '../errors/chain.ts'
import type { PlannedCall } from '../ports/proof.ts'

/** The predeploy that computes what an OP-stack chain charges for a transaction's bytes on L1. */
export const GAS_PRICE_ORACLE: Address = '0x420000000000000000000000000000000000000F'

const oracleAbi = parseAbi(['function getL1Fee(bytes data) view returns (uint256)'])

/**
 * The fee for the transaction's bytes on L1, in wei, as the chain's own oracle computes it at the view's block.
 *
 * The oracle takes the unsigned bytes and adds the length of a signature itself. Nonce, gas and fees are not known
 * yet. The ones used here are as long as real ones can be, so that the fee is not too low.
 */
export async function readL1DataFee(
  blocks: BlockReader,
  view: BlockView,
  call: PlannedCall,
): Promise<bigint> {
  const request = {
    to: GAS_PRICE_ORACLE,
    data: encodeFunctionData({ abi: oracleAbi, args: [unsignedBytes(view.chainId, call)] }),
  }
  const answer = getResult(await blocks.call(view, request))
  try {
    return decodeFunctionResult({ abi: oracleAbi, data: answer })
  } catch (cause) {
    const message = `The gas price oracle of chain ${view.chainId} cannot be read; is it an OP-stack chain?`
    throw new ViewFailedError('getL1Fee', message, { cause })
  }
}

/** The transaction's bytes, with figures of full length in place of those that are not known yet. */
function unsignedBytes(chainId: number, { to, data, value }: PlannedCall): Hex {
  return serializeTransaction({
    type: 'eip1559',
    chainId,
    nonce: 0xb7_3d,
    gas: 0x9d_37_c5n,
    maxFeePerGas: 0x4b_d1_8f_63n,
    maxPriorityFeePerGas: 0x5e_93_a7n,
    to,
    data,
    value,
  })
}
