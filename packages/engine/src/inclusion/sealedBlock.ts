import { type Hex, numberToHex, toRlp } from 'viem'
import * as z from 'zod'
import type { BlockView } from '../block/BlockView.ts'
import { UpstreamError } from '../errors/chain.ts'
import { ProofUnavailableError } from '../errors/inclusion.ts'
import { blockReceipts } from '../indexing/nodeReceipts.ts'
import type { SealedBlock } from '../ports/chains.ts'
import { NodeBytes, NodeHash, NodeLog, SmallQuantity } from '../rpc/quantity.ts'
import { refusalIn } from '../rpc/refusal.ts'
import type { Rpc } from '../rpc/rpc.ts'
import { encodeHeader, Scalar, WholeHeader } from './wholeHeader.ts'

/** A receipt with all that its trie has of it. */
const SealedReceipt = z.object({
  transactionHash: NodeHash,
  transactionIndex: SmallQuantity,
  blockHash: NodeHash,
  type: SmallQuantity.refine((type) => type < 0x80).default(0),
  status: Scalar,
  cumulativeGasUsed: Scalar,
  logsBloom: NodeBytes,
  logs: z.array(NodeLog.extend({ logIndex: SmallQuantity })),
  // A deposit's, of the OP stack.
  depositNonce: Scalar.nullish(),
  depositReceiptVersion: Scalar.nullish(),
})
type SealedReceipt = z.output<typeof SealedReceipt>

/**
 * A block's header and receipts, as its hash commits to them: the header is shown to hash to it, the receipts are not.
 * Takes two HTTP requests.
 *
 * @throws ProofUnsupportedError where the header has fields that are not known here
 * @throws ProofUnavailableError where the node gives no receipts of the block
 */
export async function readSealedBlock(
  rpc: Rpc,
  { chainId, signal }: BlockView,
  number: number,
): Promise<SealedBlock> {
  const { header, receipts } = await rpc
    .withNode(
      async (one) => {
        const header = await one.request('eth_getBlockByNumber', [numberToHex(number), false], WholeHeader)
        return { header, receipts: await blockReceipts(one, header.hash, SealedReceipt) }
      },
      signal === undefined ? {} : { signal },
    )
    .catch((cause: unknown) => {
      if (refusalIn(cause)?.kind !== 'refused') throw cause
      throw new ProofUnavailableError(chainId, `the receipts of block ${number}`, { cause })
    })
  const encoded = encodeHeader(chainId, header)
  const isWhole = receipts.every(
    ({ transactionIndex, blockHash }, index) => transactionIndex === index && blockHash === header.hash,
  )
  if (!isWhole) throw new UpstreamError(chainId)
  return {
    hash: header.hash,
    header: encoded,
    receiptsRoot: header.receiptsRoot,
    receipts: receipts.map((receipt) => ({
      transactionHash: receipt.transactionHash,
      encoded: encodeReceipt(receipt),
      firstLogIndex: receipt.logs[0]?.logIndex ?? 0,
    })),
  }
}

/**
 * A receipt as its trie holds it (EIP-2718). A deposit's has its nonce since the OP stack's fork Canyon, which is when receipts
 * have a version; in the fork before, the nonce was told and not hashed.
 */
export function encodeReceipt(
  receipt: Omit<SealedReceipt, 'transactionHash' | 'transactionIndex' | 'blockHash'>,
): Hex {
  const { type, status, cumulativeGasUsed, logsBloom, depositNonce, depositReceiptVersion } = receipt
  const logs = receipt.logs.map(({ address, topics, data }): [Hex, Hex[], Hex] => [
    address.toLowerCase() as Hex,
    topics,
    data,
  ])
  const isVersioned = depositReceiptVersion !== null && depositReceiptVersion !== undefined
  const deposit = isVersioned ? [depositNonce ?? '0x', depositReceiptVersion] : []
  const body = toRlp([status, cumulativeGasUsed, logsBloom, logs, ...deposit])
  return type === 0 ? body : `0x${type.toString(16).padStart(2, '0')}${body.slice(2)}`
}
