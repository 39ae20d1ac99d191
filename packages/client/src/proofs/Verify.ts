import type { ProvenMembership } from '@remit/protocol/inclusion/membershipProof'
import type { Proven } from '@remit/protocol/inclusion/openProof'
import { ProofRefusedError } from '@remit/protocol/inclusion/ProofRefusedError'
import type { ProvenPayment } from '@remit/protocol/inclusion/paymentProof'
import { type Address, type Hex, isAddressEqual } from 'viem'
import type { ApiClient } from '../createApiClient.ts'
import type { GetMembershipAnswer } from '../generated/api.ts'
import type { OwnNode } from '../node/OwnNode.ts'
import type { ContractOptions } from '../sending/check/findContract.ts'
import { type BlockStanding, confirmBlock } from './confirmBlock.ts'
import { verifyMembershipProof, verifyPaymentProof } from './verifyProofs.ts'

/** So old may the block of an answer be that is taken for how things are now. */
const MOST_AGE_SECONDS = 600

/** How sure a proof is. */
type Confirmed = Pick<BlockStanding, 'isFinal'>

/**
 * What a service says, shown by its proof against a block that the client's own node has. A service that lies, or that sends a proof
 * of something else, is refused by ProofRefusedError.
 */
export interface Verify {
  /**
   * One payment.
   *
   * @example
   * const { payment, isFinal } = await client.verify.payment({ txHash, logIndex })
   */
  payment(request: { txHash: Hex; logIndex: number; chainId?: number }): Promise<ProvenPayment & Confirmed>
  /**
   * Whether somebody is a member.
   *
   * @example
   * const { membership } = await client.verify.membership({ id, address })
   */
  membership(request: { id: Hex; address: Address; chainId?: number }): Promise<ProvenMembership & Confirmed>
}

type VerifySource = Pick<ContractOptions, 'contracts'> & { readonly node?: OwnNode | undefined }

export function createVerify(
  api: Pick<ApiClient, 'getPayment' | 'getMembership'>,
  { node, contracts }: VerifySource,
): Verify {
  return {
    async payment(request) {
      const { proof } = await api.getPayment({ ...request, proof: true })
      if (proof === undefined) throw new ProofRefusedError('The service sent no proof.')
      const proven = verifyPaymentProof(proof, { blockHash: proof.blockHash, contracts })
      const { isFinal, transactions } = await confirm(node, proven)
      if (transactions[proof.receipt.transactionIndex] !== request.txHash.toLowerCase())
        throw new ProofRefusedError('The proof is about another transaction.')
      return { ...proven, isFinal }
    },
    async membership(request) {
      const answer = await api.getMembership({ ...request, proof: true })
      const proven = provenMembership(answer, request, contracts)
      const { isFinal } = await confirm(node, proven)
      return { ...proven, isFinal }
    },
  }
}

/** `getMembership` that answers only what its proof shows. */
export function checkedMembership(
  { getMembership }: Pick<ApiClient, 'getMembership'>,
  { node, contracts }: VerifySource,
): ApiClient['getMembership'] {
  return async (request, options) => {
    const answer = await getMembership({ ...request, proof: true }, options)
    const { ageSeconds } = await confirm(node, provenMembership(answer, request, contracts))
    // An old truth would be a lie as well.
    if (!(ageSeconds <= MOST_AGE_SECONDS))
      throw new ProofRefusedError(`The service answered from a block that is ${ageSeconds} s old.`)
    return answer
  }
}

function confirm(node: OwnNode | undefined, proven: Proven): Promise<BlockStanding> {
  if (node === undefined)
    throw new TypeError('a block is confirmed by a node of your own: createClient({ url, node })')
  return confirmBlock(node, proven)
}

/** @throws ProofRefusedError unless the answer is about what was asked, and says what its proof shows */
function provenMembership(
  { proof, state, asOf }: GetMembershipAnswer,
  asked: { readonly id: Hex; readonly address: Address },
  contracts: ContractOptions['contracts'],
): ProvenMembership {
  if (proof === undefined) throw new ProofRefusedError('The service sent no proof.')
  const proven = verifyMembershipProof(proof, { blockHash: asOf.blockHash, contracts })
  const { subscriptionId, subscriber, isMember } = proven.membership
  if (subscriptionId !== asked.id.toLowerCase() || !isAddressEqual(subscriber, asked.address))
    throw new ProofRefusedError('The proof is about another membership.')
  if (isMember !== (state === 'active'))
    throw new ProofRefusedError(
      `The service says "${state}", and its proof shows ${isMember ? 'a member' : 'no member'}.`,
    )
  return proven
}
