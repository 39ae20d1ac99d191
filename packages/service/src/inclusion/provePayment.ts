import { createMerkleProof, createMPT, type MerklePatriciaTrie } from '@ethereumjs/mpt'
import { UpstreamError } from '@remit/engine/errors/chain'
import { ProofUnsupportedError } from '@remit/engine/errors/inclusion'
import type { ChainView, SealedBlock } from '@remit/engine/ports/chains'
import type { IndexedPayment } from '@remit/engine/ports/history'
import {
  PAYMENT_PROOF,
  type PaymentProof,
  paymentWords,
  receiptKey,
  verifyPaymentProof,
} from '@remit/protocol/inclusion/paymentProof'
import { LRUCache } from 'lru-cache'
import { bytesToHex, type Hex, hexToBytes } from 'viem'

/** A transaction's receipt with the way to it from the root of its block's trie. */
interface ProvenReceipt {
  readonly blockHash: Hex
  readonly header: Hex
  readonly transactionIndex: number
  readonly nodes: readonly Hex[]
  readonly firstLogIndex: number
}

const MOST_KEPT_BYTES = 16 * 2 ** 20
const kept = new LRUCache<string, ProvenReceipt>({
  maxSize: MOST_KEPT_BYTES,
  sizeCalculation: ({ header, nodes }) => (header.length + nodes.join('').length) / 2,
})

/**
 * The proof of a payment that the index knows, from its block's own header and receipts. It was checked as its reader will, so it
 * says the same as the index.
 *
 * @throws ProofUnsupportedError where header or receipts have a form that is not known here
 * @throws ProofUnavailableError where the node gives no receipts of the block
 * @throws UpstreamError where the node's block has no such payment
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
