import { fromRlp, type Hex, isHex, keccak256 } from 'viem'
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
  const left = [...nodes]
  const value = follow(root, key.slice(2), left)
  mustHold(left.length === 0, 'it has nodes that do not belong to it')
  return value
}

/** @param path the hex digits that are left of the key @param left the nodes that are left; those used are taken off */
function follow(reference: Rlp, path: string, left: Hex[]): Hex | undefined {
  if (reference === EMPTY) return undefined
  const node = typeof reference === 'string' ? openNode(reference, left) : reference
  // The root of a trie that holds nothing.
  if (node === EMPTY) return undefined
  mustHold(typeof node === 'object', 'a node is no list')
  if (node.length === 17) {
    if (path === '') return valueIn(node[16])
    return follow(part(node, Number.parseInt(path.slice(0, 1), 16)), path.slice(1), left)
  }
  mustHold(node.length === 2, 'a node has neither 2 nor 17 parts')
  const encoded = node[0]
  mustHold(typeof encoded === 'string' && encoded.length > 2, 'a node has no path')
  const flags = Number.parseInt(encoded.slice(2, 3), 16)
  mustHold(flags < 4, 'a node’s path has flags that there are not')
  const digits = encoded.slice(flags % 2 === 1 ? 3 : 4)
  if (flags >= 2) return digits === path ? valueIn(node[1]) : undefined
  mustHold(digits !== '', 'a node has an empty path')
  return path.startsWith(digits) ? follow(part(node, 1), path.slice(digits.length), left) : undefined
}

function openNode(hash: Hex, left: Hex[]): Rlp {
  const encoded = left.shift()
  mustHold(encoded !== undefined, 'a node is missing')
  mustHold(keccak256(encoded) === hash, 'a node is not the one that the node above names')
  return decodeRlp(encoded)
}

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

export function isBytes(value: unknown): value is Hex {
  return isHex(value) && value.length % 2 === 0
}

function isHexList(value: unknown): value is readonly Hex[] {
  return Array.isArray(value) && value.every(isBytes)
}
