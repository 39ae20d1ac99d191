import {
  type ProvenMembership,
  verifyMembershipProof as verifyMembership,
} from '@remit/protocol/inclusion/membershipProof'
import {
  type ProvenPayment,
  verifyPaymentProof as verifyPayment,
} from '@remit/protocol/inclusion/paymentProof'
import { type Address, type Hex, isAddressEqual } from 'viem'
import { isRecord } from '../call/isRecord.ts'
import { findContract, KNOWN_CONTRACTS } from '../sending/check/findContract.ts'
import { UnknownContractError } from '../sending/errors.ts'

/** What is known from somewhere else than the proof. */
export interface VerifyProofOptions {
  /** The hash of the block, from a node, a light client, or an explorer that you trust: `confirmBlock` asks a node. */
  readonly blockHash: Hex
  /** Where the protocol's contract is, by chain id, as for `createClient`. Base and Base Sepolia are built in. */
  readonly contracts?: Readonly<Record<number, Address>> | undefined
}

/**
 * Checks the proof of a payment without asking anybody: the header hashes to the block's hash, the receipt is under the header's
 * root, and its logs say this payment, by the protocol's rules.
 *
 * Whether that block is on the chain is for you to know. Not proven: the token's symbol and decimals, the hash of the transaction,
 * and on which chain it is, but by the block's hash.
 *
 * @param proof the `proof` of getPayment, or the file of a receipt's page, as it came
 * @throws ProofRefusedError where anything of it does not fit
 * @throws UnknownContractError for a chain whose contract is neither built in nor given
 *
 * @example
 * import { readFileSync } from 'node:fs'
 * import { verifyPaymentProof } from '@remit/client'
 *
 * const proof = JSON.parse(readFileSync('payment.json', 'utf8'))
 * const { payment, block } = verifyPaymentProof(proof, { blockHash })
 * console.log(`${payment.subscriber} paid ${payment.charged} of ${payment.token} in block ${block.number}`)
 */
export function verifyPaymentProof(proof: unknown, options: VerifyProofOptions): ProvenPayment {
  return verifyPayment(proof, { blockHash: options.blockHash, contract: contractOf(proof, options) })
}

/**
 * Checks whether somebody was a member at a block, and by which terms, as `verifyPaymentProof` does: from the contract's own
 * storage under the block's state root.
 *
 * @param proof the `proof` of getMembership, as it came
 * @throws ProofRefusedError, UnknownContractError as `verifyPaymentProof` does
 *
 * @example
 * import { verifyMembershipProof } from '@remit/client'
 *
 * const { proof } = await client.getMembership({ id, address, proof: true })
 * const { membership } = verifyMembershipProof(proof, { blockHash })
 * if (membership.isMember) console.log('let in')
 */
export function verifyMembershipProof(proof: unknown, options: VerifyProofOptions): ProvenMembership {
  const contract = contractOf(proof, options)
  // Any other contract is one that `npm start` or a test has deployed.
  const isLive = Object.values(KNOWN_CONTRACTS).some((known) => isAddressEqual(known, contract))
  const layout = isLive ? 'live' : 'reference'
  return verifyMembership(proof, { blockHash: options.blockHash, contract, layout })
}

function contractOf(proof: unknown, { contracts }: VerifyProofOptions): Address {
  const chainId = isRecord(proof) ? Number(proof.chainId) : 0
  const contract = findContract(chainId, contracts)
  if (contract === undefined) throw new UnknownContractError(chainId)
  return contract
}
