import { type Address, getAddress, type Hex } from 'viem'
import { type ProvenBlock, readHeader } from './blockHeader.ts'
import { mustHold } from './ProofRefusedError.ts'

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
 * What all proofs have in common.
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

/** @throws ProofRefusedError unless it says this, and nothing beside it */
export function mustSay(told: Readonly<Record<string, unknown>>, words: object): void {
  for (const [name, value] of Object.entries(words))
    mustHold(told[name] === value, `its ${name} is not what the chain says`)
  mustHold(Object.keys(told).length === Object.keys(words).length, 'it says more than the chain does')
}

export function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  mustHold(typeof value === 'object' && value !== null, 'it lacks a part')
  return { ...value }
}

export function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0
}

function isSame(told: unknown, known: Hex): boolean {
  return typeof told === 'string' && told.toLowerCase() === known.toLowerCase()
}
