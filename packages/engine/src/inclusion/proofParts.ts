import { type Address, type Hex, keccak256, numberToHex, toRlp } from 'viem'
import * as z from 'zod'
import { type BlockReader, getResult } from '../block/BlockReader.ts'
import type { BlockView } from '../block/BlockView.ts'
import { UpstreamError } from '../errors/chain.ts'
import { ProofUnavailableError, ProofUnsupportedError } from '../errors/inclusion.ts'
import { blockReceipts } from '../indexing/nodeLogs.ts'
import type { SealedBlock, SealedState } from '../ports/chains.ts'
import { NodeAddress, NodeBytes, NodeHash, NodeLog, Quantity, SmallQuantity } from '../rpc/quantity.ts'
import { refusalIn } from '../rpc/refusal.ts'
import type { Rpc } from '../rpc/rpc.ts'

// What a proof of a payment or a membership is made of, as nodes give it: headers, all receipts of a block, and slots of the
// contract with their trie nodes. `service/inclusion/` makes proofs of it, and `protocol/inclusion/` checks them. A block's hash is
// that of its RLP-encoded header, which holds the roots of two Merkle tries: of the receipts, and of the state. "Sealed" in names:
// committed to by the block's hash.

/** A quantity as RLP has it: its bytes without leading zeros; none for 0. */
const Scalar = Quantity.transform((value): Hex => (value === 0n ? '0x' : numberToHex(value)))

/** The fields of a header in their order. Those of later forks come last, and are absent before their fork. */
const HEADER_FIELDS = {
  parentHash: NodeHash,
  sha3Uncles: NodeHash,
  miner: NodeBytes,
  stateRoot: NodeHash,
  transactionsRoot: NodeHash,
  receiptsRoot: NodeHash,
  logsBloom: NodeBytes,
  difficulty: Scalar,
  number: Scalar,
  gasLimit: Scalar,
  gasUsed: Scalar,
  timestamp: Scalar,
  extraData: NodeBytes,
  mixHash: NodeHash,
  nonce: NodeBytes,
  baseFeePerGas: Scalar.nullish(),
  withdrawalsRoot: NodeHash.nullish(),
  blobGasUsed: Scalar.nullish(),
  excessBlobGas: Scalar.nullish(),
  parentBeaconBlockRoot: NodeHash.nullish(),
  requestsHash: NodeHash.nullish(),
}
type HeaderField = keyof typeof HEADER_FIELDS

/** A header with all fields of which its block's hash is made, and that hash. */
export const WholeHeader = z.object({ ...HEADER_FIELDS, hash: NodeHash })

/**
 * The header as RLP, of which the block's hash is made.
 * @throws ProofUnsupportedError where it has fields that are not known here
 */
export function encodeHeader(chainId: number, header: z.output<typeof WholeHeader>): Hex {
  // Safe: they are its keys.
  const names = Object.keys(HEADER_FIELDS) as HeaderField[]
  const encoded = toRlp(names.flatMap((name) => header[name] ?? []))
  if (keccak256(encoded) === header.hash) return encoded
  throw new ProofUnsupportedError(chainId, 'its block headers have fields that are not known here')
}

/** A receipt with all that its trie has of it. A type from 0x80 on is none: its byte would read as the start of an RLP value (EIP-2718). */
const SealedReceipt = z.object({
  transactionHash: NodeHash,
  transactionIndex: SmallQuantity,
  blockHash: NodeHash,
  type: SmallQuantity.refine((type) => type < 0x80).default(0),
  status: Scalar,
  cumulativeGasUsed: Scalar,
  logsBloom: NodeBytes,
  logs: z.array(NodeLog.extend({ logIndex: SmallQuantity })),
  // Only a deposit's receipt has these: a transaction that L1 sends to a chain of the OP stack.
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
 * A receipt as its trie holds it (EIP-2718). On the OP stack, a deposit's nonce is part of it since the fork Canyon, from which
 * on receipts have a version; in the fork before, nodes tell the nonce and it is not hashed.
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

/** What eth_getProof answers (EIP-1186). */
const StateProof = z.object({
  address: NodeAddress,
  accountProof: z.array(NodeBytes),
  storageProof: z.array(z.object({ key: Quantity, value: Quantity, proof: z.array(NodeBytes) })),
})

/**
 * What a contract keeps in these slots at the view's block, with the way there from the block's own hash. Nothing of it is
 * checked but the header. Takes one HTTP request.
 *
 * @throws ProofUnsupportedError where the header has fields that are not known here
 * @throws ProofUnavailableError where the node gives no proofs, or keeps the state of that block no more
 */
export async function readSealedState(
  { rpc, blocks, contract }: { readonly rpc: Rpc; readonly blocks: BlockReader; readonly contract: Address },
  view: BlockView,
  slots: readonly Hex[],
): Promise<SealedState> {
  const { chainId, asOf } = view
  const [header, proof] = await Promise.all([
    rpc.request('eth_getBlockByHash', [asOf.blockHash, false], WholeHeader, view),
    blocks
      .request(view, 'eth_getProof', [contract, slots], StateProof)
      .then(getResult)
      .catch((cause: unknown) => {
        if (refusalIn(cause)?.kind !== 'refused') throw cause
        throw new ProofUnavailableError(chainId, `proofs of its state at block ${asOf.blockNumber}`, {
          cause,
        })
      }),
  ])
  const inOrder = slots.map((slot) => proof.storageProof.find(({ key }) => key === BigInt(slot)))
  return {
    hash: asOf.blockHash,
    header: encodeHeader(chainId, header),
    account: proof.accountProof,
    slots: inOrder.map((found) => found?.proof ?? []),
  }
}
