import {
  isConfirmed,
  keySignature,
  type SignatureClaim,
  signatureCheck,
} from '@remit/protocol/signed/signatures'
import { isAddressEqual, recoverAddress } from 'viem'
import { UpstreamError } from '../errors/chain.ts'
import { type BlockReader, findResult } from './BlockReader.ts'
import type { AtBlock } from './BlockView.ts'

/**
 * Whether a contract confirms a signature in its name, by ERC-1271, or by ERC-6492 where it is not deployed yet. False where the
 * check reverts. Throws UpstreamError where no node runs it.
 */
export async function isSignedByContract(
  blocks: BlockReader,
  at: AtBlock,
  claim: SignatureClaim,
): Promise<boolean> {
  const answer = await blocks.call(at, signatureCheck(claim))
  // `refused`: the node did not run the check. A check that ran and reverted is `reverted`, for which findResult gives undefined.
  if (answer.kind === 'refused') throw new UpstreamError(blocks.chainId, { cause: answer.error })
  return isConfirmed(findResult(answer))
}

/** Whether the key of an address has signed this hash. False for a signature of another form, such as a contract's. */
export async function isSignedByKey({ address, hash, signature }: SignatureClaim): Promise<boolean> {
  const parts = keySignature(signature)
  if (parts === undefined) return false
  const signer = await recoverAddress({ hash, signature: parts }).catch(() => undefined)
  return signer !== undefined && isAddressEqual(signer, address)
}
