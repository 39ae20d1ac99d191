import {
  type Address,
  encodeDeployData,
  erc6492SignatureValidatorAbi,
  erc6492SignatureValidatorByteCode,
  type Hex,
  isErc6492Signature,
  serializeErc6492Signature,
  zeroAddress,
} from 'viem'
import { UpstreamError } from '../errors/chain.ts'
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
  // As of a contract that needs no deployment. Otherwise the checker recovers a key where there is no contract, which gives the zero
  // address for what is no signature, and fails for a signature of less than 32 bytes.
  const wrapped = isErc6492Signature(signature)
    ? signature
    : serializeErc6492Signature({ address: zeroAddress, data: '0x', signature })
  const data = encodeDeployData({
    abi: erc6492SignatureValidatorAbi,
    args: [address, hash, wrapped],
    bytecode: erc6492SignatureValidatorByteCode,
  })
  const answer = await blocks.call(at, { data, gas: MOST_GAS })
  if (answer.kind === 'refused') throw new UpstreamError(blocks.chainId, { cause: answer.error })
  const result = findResult(answer)
  return result !== undefined && /^0x0*1$/.test(result)
}
