import { type Hex, keccak256, numberToHex, toRlp } from 'viem'
import * as z from 'zod'
import { ProofUnsupportedError } from '../errors/inclusion.ts'
import { NodeBytes, NodeHash, Quantity } from '../rpc/quantity.ts'

/** A quantity as RLP has it: its bytes without leading zeros; none for 0. */
export const Scalar = Quantity.transform((value): Hex => (value === 0n ? '0x' : numberToHex(value)))

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

/** All that a block's hash is made of. */
export const WholeHeader = z.object({ ...HEADER_FIELDS, hash: NodeHash })

/**
 * The header that hashes to the block's hash, RLP.
 * @throws ProofUnsupportedError where it has fields that are not known here
 */
export function encodeHeader(chainId: number, header: z.output<typeof WholeHeader>): Hex {
  // Safe: they are its keys.
  const names = Object.keys(HEADER_FIELDS) as HeaderField[]
  const encoded = toRlp(names.flatMap((name) => header[name] ?? []))
  if (keccak256(encoded) === header.hash) return encoded
  throw new ProofUnsupportedError(chainId, 'its block headers have fields that are not known here')
}
