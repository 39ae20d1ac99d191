import { createMerkleProof, createMPT, type MerklePatriciaTrie } from '@ethereumjs/mpt'
import { UpstreamError } from '@remit/engine/errors/chain'
import { ProofUnsupportedError } from '@remit/engine/errors/inclusion'
import type { MembershipState } from '@remit/engine/ports/chainReads'
import type { ChainAtBlock, ChainView, SealedBlock } from '@remit/engine/ports/chains'
import type { IndexedPayment } from '@remit/engine/ports/history'
import {
  LAYOUTS,
  type LayoutName,
  MEMBERSHIP_PROOF,
  type MembershipProof,
  type MembershipWords,
  membershipSlots,
  verifyMembershipProof,
} from '@remit/protocol/inclusion/membershipProof'
import {
  PAYMENT_PROOF,
  type PaymentProof,
  paymentWords,
  receiptKey,
  verifyPaymentProof,
} from '@remit/protocol/inclusion/paymentProof'
import { LRUCache } from 'lru-cache'
import { type Address, bytesToHex, getAddress, type Hex, hexToBytes } from 'viem'

// Makes proofs that need no trust in this service: of a membership, by slots of the contract's storage, and of a payment, by a receipt.
// Both lead by Merkle proofs to a block's hash. Each is verified here with the same code that its reader will use
// (`protocol/inclusion/`), so a proof that does not hold is never answered.

/** The layout of the contract's storage that fitted last, by chain. It is tried first, and each proof is checked anew. */
const fitting = new Map<number, LayoutName>()

/**
 * The proof that an account is a member of a subscription at the chain's block, or that it is not. What it proves is what the contract's
 * own views said at the same block (`terms`, `isSubscribed`).
 *
 * Contracts lay out their storage in one of a few known ways ("layouts"), and nothing tells which: a proof is made for one after the
 * other, until one verifies.
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

/** What would be the proof if the contract's storage had this layout. */
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

/** Whether a reader would accept the proof. */
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

/** The known layouts, first the one that fitted last. */
function layoutsFor(chainId: number): readonly LayoutName[] {
  // Safe: they are its keys.
  const names = Object.keys(LAYOUTS) as LayoutName[]
  const last = fitting.get(chainId)
  return last === undefined ? names : [last, ...names.filter((name) => name !== last)]
}

/** A transaction's receipt, proven: the nodes of the trie from the root, which the block's header names, down to the receipt. */
interface ProvenReceipt {
  readonly blockHash: Hex
  readonly header: Hex
  readonly transactionIndex: number
  readonly nodes: readonly Hex[]
  /** The place in the block of the receipt's first log. */
  readonly firstLogIndex: number
}

/** Proven receipts of final blocks are kept, because to prove one all receipts of its block are read. */
const MOST_KEPT_BYTES = 16 * 2 ** 20
const kept = new LRUCache<string, ProvenReceipt>({
  maxSize: MOST_KEPT_BYTES,
  sizeCalculation: ({ header, nodes }) => (header.length + nodes.join('').length) / 2,
})

/**
 * The proof of a payment that the index knows, from its block's own header and receipts. It verifies for what the index says of the
 * payment, so the index and the chain agree about it.
 *
 * @throws ProofUnsupportedError where header or receipts have a form that is not known here
 * @throws ProofUnavailableError where the node gives no receipts of the block
 * @throws UpstreamError where the node's block has no such payment, or another one
 * @throws RangeError for a cancellation, in which no money moves
 */
export async function provePayment(chain: ChainView, payment: IndexedPayment): Promise<PaymentProof> {
  const { kind, subscriber } = payment
  if (kind === 'cancelled' || subscriber === null) throw new RangeError('no money moved in a cancellation')
  const { chainId, contractAddress: contract } = chain
  const key = `${chainId}:${payment.transactionHash}`
  const found = kept.get(key) ?? (await proveReceipt(chain, payment))
  if (payment.finalized) kept.set(key, found)
  const { blockHash, header, transactionIndex, nodes } = found
  const proof: PaymentProof = {
    type: PAYMENT_PROOF,
    chainId,
    contract,
    blockHash,
    header,
    receipt: { transactionIndex, nodes, log: payment.logIndex - found.firstLogIndex },
    payment: paymentWords({ ...payment, kind, subscriber }),
  }
  try {
    verifyPaymentProof(proof, { blockHash, contract })
  } catch (cause) {
    throw new UpstreamError(chainId, { cause })
  }
  return proof
}

async function proveReceipt(
  chain: ChainView,
  { blockNumber, transactionHash }: IndexedPayment,
): Promise<ProvenReceipt> {
  const block = await chain.sealedBlock(blockNumber)
  const transactionIndex = block.receipts.findIndex((receipt) => receipt.transactionHash === transactionHash)
  const receipt = block.receipts[transactionIndex]
  if (receipt === undefined) throw new UpstreamError(chain.chainId)
  const nodes = await wayTo(transactionIndex, block)
  if (nodes === undefined)
    throw new ProofUnsupportedError(
      chain.chainId,
      'its receipts do not add up to the root that their block has',
    )
  const { hash: blockHash, header } = block
  return { blockHash, header, transactionIndex, nodes, firstLogIndex: receipt.firstLogIndex }
}

/** The nodes from the root to a receipt; `undefined` where the receipts have another root than their block says. */
async function wayTo(
  transactionIndex: number,
  { receipts, receiptsRoot }: SealedBlock,
): Promise<readonly Hex[] | undefined> {
  const trie = await trieOf(receipts)
  if (bytesToHex(trie.root()) !== receiptsRoot) return undefined
  const nodes = await createMerkleProof(trie, hexToBytes(receiptKey(transactionIndex)))
  return nodes.map((node) => bytesToHex(node))
}

/** The trie of a block's receipts. */
export async function trieOf(receipts: SealedBlock['receipts']): Promise<MerklePatriciaTrie> {
  const trie = await createMPT()
  for (const [index, { encoded }] of receipts.entries())
    await trie.put(hexToBytes(receiptKey(index)), hexToBytes(encoded))
  return trie
}
