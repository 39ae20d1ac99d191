import type { ProvenMembership } from '@remit/protocol/inclusion/membershipProof'
import type { ProvenPayment } from '@remit/protocol/inclusion/paymentProof'
import type { Address, Hex } from 'viem'
import type { BlockStanding } from './verifyProof.ts'

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
   * const { payment, isFinal } = await client.verify.payment({ txHash, logIndex: 6 })
   */
  payment(request: { txHash: Hex; logIndex: number; chainId?: number }): Promise<ProvenPayment & Confirmed>
  /**
   * Whether somebody is a member.
   *
   * @example
   * const { membership } = await client.verify.membership({ id, address: account })
   */
  membership(request: { id: Hex; address: Address; chainId?: number }): Promise<ProvenMembership & Confirmed>
}
