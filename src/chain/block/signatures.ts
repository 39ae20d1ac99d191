import {
  type Address,
  encodeDeployData,
  erc6492SignatureValidatorAbi,
  erc6492SignatureValidatorByteCode,
  type Hex,
} from 'viem'
import { UpstreamError } from '../../errors/chain.ts'
import { type BlockReader, findResult } from './BlockReader.ts'
import type { AtBlock } from './BlockView.ts'

/** What checking may cost a node. A wallet that is deployed for the check, and curves in Solidity, take a tenth of it. */
const MOST_GAS = 10_000_000n

/** A statement that a wallet has signed this hash. */
interface SignatureClaim {
  readonly address: Address
  readonly hash: Hex
  readonly signature: Hex
}

/**
 * Whether a contract confirms a signature in its name, by ERC-1271, or by ERC-6492 where it is not deployed yet.
 *
 * The node runs a checker as the constructor of a contract that is never created. It answers one byte.
 */
export async function isSignedBy(
  blocks: BlockReader,
  at: AtBlock,
  { address, hash, signature }: SignatureClaim,
): Promise<boolean> {
  const data = encodeDeployData({
    abi: erc6492SignatureValidatorAbi,
    args: [address, hash, signature],
    bytecode: erc6492SignatureValidatorByteCode,
  })
  const answer = await blocks.call(at, { data, gas: MOST_GAS })
  if (answer.kind === 'refused') throw new UpstreamError(blocks.chainId, { cause: answer.error })
  const result = findResult(answer)
  return result !== undefined && /^0x0*1$/.test(result)
}
