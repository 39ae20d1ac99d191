import { errorOf } from './base.ts'

// Errors of inclusion proofs, which show that a block's hash commits to a log or to what the contract keeps (inclusion/proofParts.ts). A
// prepare's proof by simulation (proof/) is another thing.

/** No inclusion proof can be made on this chain, such as where its block headers have unknown fields. Trying again does not help. */
export class ProofUnsupportedError extends errorOf(
  422,
  'PROOF_UNSUPPORTED',
  'the chain, or its contract, has a form that no proof can be made of',
) {
  constructor(chainId: number, why: string) {
    super(`Nothing on chain ${chainId} can be proven so: ${why}.`, { facts: { chainId } })
  }
}

/** The node no longer has, or never gives, what an inclusion proof is made of: receipts, or eth_getProof at that block. Another node may. */
export class ProofUnavailableError extends errorOf(
  422,
  'PROOF_UNAVAILABLE',
  'the node does not give what the proof is made of',
) {
  constructor(chainId: number, what: string, options: { cause?: unknown } = {}) {
    super(`The node of chain ${chainId} does not give ${what}, of which the proof would be made.`, {
      facts: { chainId },
      ...options,
    })
  }
}
