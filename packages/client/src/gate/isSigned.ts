import { isConfirmed, signatureCheck } from '@remit/protocol/signed/signatures'
import { type Address, BaseError, ExecutionRevertedError, type Hex, hashMessage, verifyMessage } from 'viem'

/** A node of the gate's chain, asked for signatures of wallets that are contracts. A public client of viem fits. */
export interface GateNode {
  getChainId(): Promise<number>
  /** Runs code as the constructor of a contract that is never created. Rejects with viem's errors. */
  call(request: { readonly data: Hex; readonly gas: bigint }): Promise<{ readonly data?: Hex | undefined }>
}

interface SignatureClaim {
  readonly address: Address
  readonly message: string
  readonly signature: Hex
}

/** Whether the key of this address has signed the message. */
export function isSignedByKey(claim: SignatureClaim): Promise<boolean> {
  // It throws for what has not the shape of a key's signature.
  return verifyMessage(claim).catch(() => false)
}

/**
 * Whether a contract confirms the signature, by ERC-1271, or by ERC-6492 where it is not deployed yet.
 *
 * Rejects where the node could not be asked. (viem's own `verifyMessage` says `false` then, as for a wrong signature.)
 */
export async function isSignedByContract(
  node: GateNode,
  { address, message, signature }: SignatureClaim,
): Promise<boolean> {
  try {
    const { data } = await node.call(signatureCheck({ address, hash: hashMessage(message), signature }))
    return isConfirmed(data)
  } catch (error) {
    const isRevert =
      error instanceof BaseError && error.walk((cause) => cause instanceof ExecutionRevertedError) !== null
    if (isRevert) return false
    throw error
  }
}
