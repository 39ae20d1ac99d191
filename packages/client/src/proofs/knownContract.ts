import { ProofRefusedError } from '@remit/protocol/inclusion/ProofRefusedError'
import type { Address, Hex } from 'viem'
import { isRecord } from '../call/isRecord.ts'
import { findContract } from '../sending/check/findContract.ts'

/** What is known from somewhere else than the proof. */
export interface VerifyProofOptions {
  /** The hash of the block, from a node, a light client, or an explorer that you trust: `confirmBlock` asks a node. */
  readonly blockHash: Hex
  /** Where the protocol's contract is, by chain id, as for `createClient`. Base and Base Sepolia are built in. */
  readonly contracts?: Readonly<Record<number, Address>> | undefined
}

/** The protocol's contract on the chain that a proof names. Throws ProofRefusedError. */
export function knownContract(proof: unknown, { contracts }: VerifyProofOptions): Address {
  const chainId = isRecord(proof) ? Number(proof.chainId) : 0
  const contract = findContract(chainId, contracts)
  if (contract === undefined)
    throw new ProofRefusedError(
      `Where the protocol’s contract is on chain ${chainId} is not known: give it by contracts.`,
    )
  return contract
}
