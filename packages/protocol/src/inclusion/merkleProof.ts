/**
 * What proofs of payments and of memberships have in common, which the client checks without asking anybody: values in Merkle-Patricia
 * tries, RLP, the header of the block, and the parts that every proof states.
 */

import { type Address, fromRlp, getAddress, type Hex, hexToNumber, isHex, keccak256 } from 'viem'
import { mustHold, ProofRefusedError } from './ProofRefusedError.ts'

/** What RLP holds: bytes, or a list. */
export type Rlp = Hex | readonly Rlp[]

const EMPTY = '0x'

/**
 * The value that a Merkle-Patricia trie has at a key, or `undefined` where it is shown to have none.
 *
 * @param root the hash of its root
 * @param key the path to the value; in the tries of a chain's state it is the hash of an address or of a slot
 * @param nodes those on the way, from the root on, as they are encoded. Nodes of less than 32 bytes stand in the one above
 * @throws ProofRefusedError where they do not lead from this root to the end of the way, or where one is left over
 */
export function trieValue(root: Hex, key: Hex, nodes: unknown): Hex | undefined {
  mustHold(isHexList(nodes), 'the nodes are no list of hex')
  const unused = [...nodes]
  const value = follow(root, key.slice(2), unused)
  mustHold(unused.length === 0, 'it has nodes that do not belong to it')
  return value
}

/**
 * @param reference of the next node: its hash, or the node itself
 * @param path the hex digits of the key that are still to be followed
 * @param unused the nodes after those that were used; each is taken off when it is opened
 */
function follow(reference: Rlp, path: string, unused: Hex[]): Hex | undefined {
  if (reference === EMPTY) return undefined
  const node = typeof reference === 'string' ? openNode(reference, unused) : reference
  // The root of a trie that holds nothing.
  if (node === EMPTY) return undefined
  mustHold(typeof node === 'object', 'a node is no list')
  // A branch: a next node for each hex digit, then the value of the path that ends here.
  if (node.length === 17) {
    if (path === '') return valueIn(node[16])
    return follow(part(node, Number.parseInt(path.slice(0, 1), 16)), path.slice(1), unused)
  }
  mustHold(node.length === 2, 'a node has neither 2 nor 17 parts')
  const encoded = node[0]
  mustHold(typeof encoded === 'string' && encoded.length > 2, 'a node has no path')
  // Hex-prefix encoding: of the first digit, 1 says that an odd number of digits follows, 2 that this is a leaf.
  const flags = Number.parseInt(encoded.slice(2, 3), 16)
  mustHold(flags < 4, 'a node’s path has flags that there are not')
  const digits = encoded.slice(flags % 2 === 1 ? 3 : 4)
  if (flags >= 2) return digits === path ? valueIn(node[1]) : undefined
  mustHold(digits !== '', 'a node has an empty path')
  return path.startsWith(digits) ? follow(part(node, 1), path.slice(digits.length), unused) : undefined
}

function openNode(hash: Hex, unused: Hex[]): Rlp {
  const encoded = unused.shift()
  mustHold(encoded !== undefined, 'a node is missing')
  mustHold(keccak256(encoded) === hash, 'a node is not the one that the node above names')
  return decodeRlp(encoded)
}

/** The reference in a node to the next one; empty where it leads nowhere. */
function part(node: readonly Rlp[], index: number): Rlp {
  return node[index] ?? EMPTY
}

function valueIn(value: Rlp | undefined): Hex | undefined {
  mustHold(typeof value === 'string', 'a value is no bytes')
  return value === EMPTY ? undefined : value
}

/** @throws ProofRefusedError for what is no RLP */
export function decodeRlp(bytes: Hex): Rlp {
  try {
    return fromRlp(bytes)
  } catch (cause) {
    throw new ProofRefusedError('it has bytes that are no RLP', { cause })
  }
}

/** Whether it is whole bytes in hex. */
export function isBytes(value: unknown): value is Hex {
  return isHex(value) && value.length % 2 === 0
}

function isHexList(value: unknown): value is readonly Hex[] {
  return Array.isArray(value) && value.every(isBytes)
}

/** What the header of a block commits to, as far as proofs here need it. */
export interface ProvenBlock {
  readonly hash: Hex
  readonly number: number
  /** Unix seconds. */
  readonly timestamp: number
  readonly stateRoot: Hex
  readonly receiptsRoot: Hex
}

/** The places of these fields in a header, which forks only append to. */
const [STATE_ROOT, RECEIPTS_ROOT, NUMBER, TIMESTAMP] = [3, 5, 8, 11]

/**
 * @param header RLP of all its fields: its hash is the block's
 * @throws ProofRefusedError unless it is the header of this very block
 */
function readHeader(header: unknown, blockHash: Hex): ProvenBlock {
  mustHold(isBytes(header), 'the header is not hex')
  mustHold(keccak256(header) === blockHash.toLowerCase(), 'the header is not that of the block')
  const fields = decodeRlp(header)
  const root = (place: number): Hex => {
    const field = fields[place]
    mustHold(typeof field === 'string' && field.length === 66, 'the header has no root where one belongs')
    return field as Hex
  }
  const count = (place: number): number => {
    const field = fields[place]
    // Six bytes at most: more need not be a safe integer.
    mustHold(typeof field === 'string' && field.length <= 14, 'the header has no number where one belongs')
    return field === '0x' ? 0 : hexToNumber(field as Hex)
  }
  return {
    hash: keccak256(header),
    number: count(NUMBER),
    timestamp: count(TIMESTAMP),
    stateRoot: root(STATE_ROOT),
    receiptsRoot: root(RECEIPTS_ROOT),
  }
}

/** What the reader of a proof has from somewhere else, and trusts. */
export interface Known {
  /** The hash of a block that is on the chain. */
  readonly blockHash: Hex
  /** The protocol's contract there: any contract can log and keep the same. */
  readonly contract: Address
}

/** What a proof has shown, beside its subject. */
export interface Proven {
  /** As the proof says it: no block says on which chain it is, but by its hash. */
  readonly chainId: number
  readonly contract: Address
  readonly block: ProvenBlock
}

/**
 * Checks what all proofs have in common: type, contract, block and its header. @returns that, and the fields, which are still unchecked
 * @param proof as it came: nothing of it is believed
 * @throws ProofRefusedError unless it is of this type, and about this contract and block
 */
export function openProof(
  proof: unknown,
  type: string,
  known: Known,
): { readonly proven: Proven; readonly fields: Readonly<Record<string, unknown>> } {
  const fields = fieldsOf(proof)
  const { chainId, contract, blockHash, header } = fields
  mustHold(fields.type === type, `its type is not ${type}`)
  mustHold(isCount(chainId), 'the chain id is no number')
  mustHold(isSame(contract, known.contract), 'it is about another contract')
  mustHold(isSame(blockHash, known.blockHash), 'it is about another block')
  const block = readHeader(header, known.blockHash)
  return { proven: { chainId, contract: getAddress(known.contract), block }, fields }
}

/**
 * @param told the subject in the proof's own words
 * @param shown the same, as its tries and header show it
 * @throws ProofRefusedError unless both are the same, field by field
 */
export function mustSay(told: Readonly<Record<string, unknown>>, shown: object): void {
  for (const [name, value] of Object.entries(shown))
    mustHold(told[name] === value, `its ${name} is not what the chain says`)
  mustHold(Object.keys(told).length === Object.keys(shown).length, 'it says more than the chain does')
}

/** The fields of a part of a proof. @throws ProofRefusedError unless it is an object */
export function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  mustHold(typeof value === 'object' && value !== null, 'it lacks a part')
  return { ...value }
}

/** Whether it is a whole number from 0. */
export function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0
}

function isSame(told: unknown, known: Hex): boolean {
  return typeof told === 'string' && told.toLowerCase() === known.toLowerCase()
}
