import { type Hex, hexToNumber, keccak256 } from 'viem'
import { mustHold } from './ProofRefusedError.ts'
import { decodeRlp, isBytes } from './trie.ts'

/** What the header of a block commits to, as far as proofs here need it. */
export interface ProvenBlock {
  readonly hash: Hex
  readonly number: number
  /** Unix seconds. */
  readonly timestamp: number
  readonly stateRoot: Hex
  readonly receiptsRoot: Hex
}

/** Their places in a header, which forks only append to. */
const [STATE_ROOT, RECEIPTS_ROOT, NUMBER, TIMESTAMP] = [3, 5, 8, 11]

/**
 * @param header RLP of all its fields: its hash is the block's
 * @throws ProofRefusedError unless it is the header of this very block
 */
export function readHeader(header: unknown, blockHash: Hex): ProvenBlock {
  mustHold(isBytes(header), 'the header is not hex')
  mustHold(keccak256(header) === blockHash.toLowerCase(), 'the header is not that of the block')
  const fields = decodeRlp(header)
  const word = (place: number): Hex => {
    const field = fields[place]
    mustHold(typeof field === 'string' && field.length === 66, 'the header has no root where one belongs')
    return field as Hex
  }
  const count = (place: number): number => {
    const field = fields[place]
    mustHold(typeof field === 'string' && field.length <= 14, 'the header has no number where one belongs')
    return field === '0x' ? 0 : hexToNumber(field as Hex)
  }
  return {
    hash: keccak256(header),
    number: count(NUMBER),
    timestamp: count(TIMESTAMP),
    stateRoot: word(STATE_ROOT),
    receiptsRoot: word(RECEIPTS_ROOT),
  }
}
