import {
  type ProvenMembership,
  verifyMembershipProof as verify,
} from '@remit/protocol/inclusion/membershipProof'
import { isAddressEqual } from 'viem'
import { KNOWN_CONTRACTS } from '../sending/check/findContract.ts'
import { knownContract, type VerifyProofOptions } from './knownContract.ts'

/**
 * Checks whether somebody was a member at a block, and by which terms, as `verifyPaymentProof` does: from the contract's own
 * storage under the block's state root.
 *
 * @param proof the `proof` of getMembership, as it came
 * @throws ProofRefusedError as `verifyPaymentProof` does
 *
 * @example
 * import { verifyMembershipProof } from '@remit/client/proofs'
 *
 * const { proof } = await client.getMembership({ id, address: account, proof: true })
 * const { membership } = verifyMembershipProof(proof, { blockHash })
 * if (membership.isMember) console.log('let in')
 */
export function verifyMembershipProof(proof: unknown, options: VerifyProofOptions): ProvenMembership {
  const contract = knownContract(proof, options)
  // Any other contract is one that `npm start` or a test has deployed.
  const isLive = Object.values(KNOWN_CONTRACTS).some((known) => isAddressEqual(known, contract))
  const layout = isLive ? 'live' : 'reference'
  return verify(proof, { blockHash: options.blockHash, contract, layout })
}
