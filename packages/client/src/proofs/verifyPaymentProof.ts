import { type ProvenPayment, verifyPaymentProof as verify } from '@remit/protocol/inclusion/paymentProof'
import { knownContract, type VerifyProofOptions } from './knownContract.ts'

/**
 * Checks the proof of a payment without asking anybody: the header hashes to the block's hash, the receipt is under the header's
 * root, and its logs say this payment, by the protocol's rules.
 *
 * Whether that block is on the chain is for you to know. Not proven: the token's symbol and decimals, the hash of the transaction,
 * and on which chain it is, but by the block's hash.
 *
 * @param proof the `proof` of getPayment, or the file of a receipt's page, as it came
 * @throws ProofRefusedError where anything of it does not fit, and for a chain whose contract is neither built in nor given
 *
 * @example
 * import { readFileSync } from 'node:fs'
 * import { verifyPaymentProof } from '@remit/client/proofs'
 *
 * const kept: unknown = JSON.parse(readFileSync('payment.json', 'utf8'))
 * const { payment, block } = verifyPaymentProof(kept, { blockHash })
 * console.log(`${payment.subscriber} paid ${payment.charged} of ${payment.token} in block ${block.number}`)
 */
export function verifyPaymentProof(proof: unknown, options: VerifyProofOptions): ProvenPayment {
  return verify(proof, { blockHash: options.blockHash, contract: knownContract(proof, options) })
}
