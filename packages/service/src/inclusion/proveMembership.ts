import { ProofUnsupportedError } from '@remit/engine/errors/inclusion'
import type { MembershipState } from '@remit/engine/ports/chainReads'
import type { ChainAtBlock } from '@remit/engine/ports/chains'
import {
  LAYOUTS,
  type LayoutName,
  MEMBERSHIP_PROOF,
  type MembershipProof,
  type MembershipWords,
  membershipSlots,
  verifyMembershipProof,
} from '@remit/protocol/inclusion/membershipProof'
import { type Address, getAddress, type Hex } from 'viem'

/** The layout that fitted last, by chain. What fits is found out with each proof anew. */
const fitting = new Map<number, LayoutName>()

/**
 * The proof that an account is a member of a subscription at the chain's block, or that it is not. It was checked as its reader
 * will, and against the contract's own views at the same block.
 *
 * @throws ProofUnsupportedError where the contract lays out its storage in no known way, or its headers are of no known form
 * @throws ProofUnavailableError where the node gives no such proof
 */
export async function proveMembership(
  chain: ChainAtBlock,
  { terms, isSubscribed }: Pick<MembershipState, 'terms' | 'isSubscribed'>,
  account: Address,
): Promise<MembershipProof> {
  const { chainId, contractAddress } = chain
  const { id, amount, provider, token, frequency, dueDay, cancelled } = terms
  const membership: MembershipWords = {
    subscriptionId: id,
    subscriber: getAddress(account),
    isMember: isSubscribed && !cancelled,
    provider: getAddress(provider),
    token: getAddress(token),
    amount: String(amount),
    frequency,
    dueDay,
    cancelled,
  }
  for (const layout of layoutsFor(chainId)) {
    const proof = await proofBy(chain, layout, membership)
    if (!holds(proof, { blockHash: proof.blockHash, contract: contractAddress, layout })) continue
    fitting.set(chainId, layout)
    return proof
  }
  throw new ProofUnsupportedError(
    chainId,
    'its contract keeps its subscribers in a way that is not known here',
  )
}

async function proofBy(
  chain: ChainAtBlock,
  layout: LayoutName,
  membership: MembershipWords,
): Promise<MembershipProof> {
  const { subscriptionId, subscriber } = membership
  const { hash, header, account, slots } = await chain.sealedState(
    membershipSlots(layout, subscriptionId, subscriber),
  )
  return {
    type: MEMBERSHIP_PROOF,
    chainId: chain.chainId,
    contract: chain.contractAddress,
    blockHash: hash,
    header,
    account,
    slots,
    membership,
  }
}

function holds(
  proof: MembershipProof,
  known: { readonly blockHash: Hex; readonly contract: Address; readonly layout: LayoutName },
): boolean {
  try {
    verifyMembershipProof(proof, known)
    return true
  } catch {
    return false
  }
}

/** The one that fitted last comes first. */
function layoutsFor(chainId: number): readonly LayoutName[] {
  // Safe: they are its keys.
  const names = Object.keys(LAYOUTS) as LayoutName[]
  const last = fitting.get(chainId)
  return last === undefined ? names : [last, ...names.filter((name) => name !== last)]
}
