import { isConfirmed, type SignatureClaim, signatureCheck } from '@remit/protocol/signatureCheck'
import {
  type Address,
  compactSignatureToSignature,
  type Hex,
  isAddressEqual,
  parseCompactSignature,
  recoverAddress,
  size,
} from 'viem'
import { UpstreamError } from '../errors/chain.ts'
import { type BlockReader, findResult } from './BlockReader.ts'
import type { AtBlock } from './BlockView.ts'

/** Whether a contract confirms a signature in its name, by ERC-1271, or by ERC-6492 where it is not deployed yet. */
export async function isSignedBy(blocks: BlockReader, at: AtBlock, claim: SignatureClaim): Promise<boolean> {
  const answer = await blocks.call(at, signatureCheck(claim))
  if (answer.kind === 'refused') throw new UpstreamError(blocks.chainId, { cause: answer.error })
  return isConfirmed(findResult(answer))
}

/** Whether the key of an address has signed this hash. */
export async function isSignedByKey({ address, hash, signature }: SignatureClaim): Promise<boolean> {
  const signer = await signerOf(hash, signature).catch(() => undefined)
  return signer !== undefined && isAddressEqual(signer, address)
}

/** Throws for what is no signature of a key: it has 65 bytes, or 64 by EIP-2098. */
async function signerOf(hash: Hex, signature: Hex): Promise<Address> {
  if (size(signature) !== 64) return recoverAddress({ hash, signature })
  return recoverAddress({ hash, signature: compactSignatureToSignature(parseCompactSignature(signature)) })
}
