/**
 * Proofs that somebody is a member, or is none: the service makes them (`proof=true`), and clients check them by themselves. A chain keeps
 * its state in a Merkle-Patricia trie of accounts, and each account has a trie of its storage slots, 32 bytes each. `merkleProof.ts`
 * shows what such a trie holds; here is which slots make a membership, and what their values say.
 */

import {
  type Address,
  encodeAbiParameters,
  getAddress,
  type Hex,
  hexToBigInt,
  hexToNumber,
  keccak256,
  numberToHex,
  padHex,
  sliceHex,
} from 'viem'
import { type Frequency, parseFrequency } from '../subscription.ts'
import {
  decodeRlp,
  fieldsOf,
  isBytes,
  type Known,
  mustSay,
  openProof,
  type Proven,
  type Rlp,
  trieValue,
} from './merkleProof.ts'
import { mustHold, ProofRefusedError } from './ProofRefusedError.ts'

/** The type of these proofs, with the version of their form. */
export const MEMBERSHIP_PROOF = 'remit-membership-1'

/**
 * Where a contract keeps subscriptions and the two sets of their subscribers: the slots of three mappings by id. `live` is the
 * protocol's own contract, `reference` the one that development chains have.
 */
export const LAYOUTS = {
  live: { subscriptions: 22, subscribers: 21, unsubscribed: 23 },
  reference: { subscriptions: 3, subscribers: 18, unsubscribed: 19 },
} as const

export type LayoutName = keyof typeof LAYOUTS

/** Whether somebody is a member at a block, with what shows it: the contract's own storage under the block's state root. */
export interface MembershipProof {
  readonly type: typeof MEMBERSHIP_PROOF
  readonly chainId: number
  readonly contract: Address
  readonly blockHash: Hex
  /** The block's header, RLP. */
  readonly header: Hex
  /** The nodes of the state's trie from its root to the contract. */
  readonly account: readonly Hex[]
  /** For each slot of `membershipSlots`, in its order, the nodes of the contract's trie from its root on. */
  readonly slots: readonly (readonly Hex[])[]
  readonly membership: MembershipWords
}

/** A membership, in values that JSON has. */
export interface MembershipWords {
  readonly subscriptionId: Hex
  readonly subscriber: Address
  /** Is in the set of subscribers, has not left in the middle of a remit, and the subscription is not cancelled. */
  readonly isMember: boolean
  readonly provider: Address
  readonly token: Address
  /** One period, in protocol units (18 decimals), decimal. */
  readonly amount: string
  readonly frequency: Frequency
  readonly dueDay: number
  readonly cancelled: boolean
}

export interface ProvenMembership extends Proven {
  readonly membership: MembershipWords
}

/**
 * The slots that make an account a member of a subscription: its place in the set of subscribers, and in that of those who left in the
 * middle of a remit, where 0 is none; then the four of the subscription's record.
 */
export function membershipSlots(layout: LayoutName, id: Hex, account: Address): readonly Hex[] {
  const { subscriptions, subscribers, unsubscribed } = LAYOUTS[layout]
  const record = hexToBigInt(inMapping(id, subscriptions))
  return [
    placeInSet(inMapping(id, subscribers), account),
    placeInSet(inMapping(id, unsubscribed), account),
    ...[0n, 1n, 2n, 3n].map((field) => numberToHex(record + field, { size: 32 })),
  ]
}

/**
 * Checks a proof of whether somebody was a member at a block, as `verifyPaymentProof` checks its own: it asks nobody.
 *
 * @param known.layout how that contract lays out its storage
 * @throws ProofRefusedError where anything of it does not fit
 */
export function verifyMembershipProof(
  proof: unknown,
  known: Known & { readonly layout: LayoutName },
): ProvenMembership {
  const { proven, fields } = openProof(proof, MEMBERSHIP_PROOF, known)
  const told = fieldsOf(fields.membership)
  const { subscriptionId, subscriber } = told
  mustHold(isBytes(subscriptionId) && subscriptionId.length === 66, 'the subscription’s id is not 32 bytes')
  mustHold(isBytes(subscriber) && subscriber.length === 42, 'the subscriber is no address')
  const values = storedValues(
    proven.block.stateRoot,
    { contract: proven.contract, account: fields.account, slots: fields.slots },
    membershipSlots(known.layout, subscriptionId, subscriber),
  )
  const membership = membershipWords(values, getAddress(subscriber))
  mustSay(told, membership)
  return { ...proven, membership }
}

/** What the six slots of `membershipSlots` say. Throws ProofRefusedError where they hold no such subscription. */
export function membershipWords(values: readonly Hex[], subscriber: Address): MembershipWords {
  const [place = '0x', left = '0x', id = '0x', amount = '0x', provider = '0x', packed = '0x'] = values
  mustHold(hexToBigInt(provider) !== 0n, 'the contract has no such subscription')
  // Solidity packs small fields into one word from its right end: token (20 bytes), cancelled (1), frequency (1), due day (2).
  const part = (begin: number, end: number) => sliceHex(packed, 32 - end, 32 - begin)
  const cancelled = hexToNumber(part(20, 21)) !== 0
  return {
    subscriptionId: id,
    subscriber,
    isMember: hexToBigInt(place) !== 0n && hexToBigInt(left) === 0n && !cancelled,
    provider: getAddress(sliceHex(provider, 12)),
    token: getAddress(part(0, 20)),
    amount: String(hexToBigInt(amount)),
    frequency: frequencyOf(hexToNumber(part(21, 22))),
    dueDay: hexToNumber(part(22, 24)),
    cancelled,
  }
}

function frequencyOf(value: number): Frequency {
  try {
    return parseFrequency(BigInt(value))
  } catch (cause) {
    throw new ProofRefusedError('The proof does not hold: there is no such frequency.', { cause })
  }
}

/** What these slots of the contract hold under a state root, 32 bytes each; 0 where the proof shows that one holds nothing. */
function storedValues(
  stateRoot: Hex,
  proof: { readonly contract: Address; readonly account: unknown; readonly slots: unknown },
  slots: readonly Hex[],
): readonly Hex[] {
  const account = trieValue(stateRoot, keccak256(proof.contract), proof.account)
  mustHold(account !== undefined, 'there is no contract at that address')
  const [, , root] = listIn(decodeRlp(account))
  mustHold(isBytes(root) && root.length === 66, 'the contract has no storage')
  const nodesOfSlots: unknown = proof.slots
  mustHold(
    Array.isArray(nodesOfSlots) && nodesOfSlots.length === slots.length,
    'it has not the slots that are wanted',
  )
  return slots.map((slot, index) => {
    const encoded = trieValue(root, keccak256(slot), nodesOfSlots[index])
    const value = encoded === undefined ? '0x' : decodeRlp(encoded)
    mustHold(typeof value === 'string' && value.length <= 66, 'a slot holds no word')
    return padHex(value, { size: 32 })
  })
}

/** The slot of a key's value in the mapping that Solidity has put at `slot`. */
function inMapping(key: Hex, slot: number): Hex {
  return keccak256(encodeAbiParameters([{ type: 'bytes32' }, { type: 'uint256' }], [key, BigInt(slot)]))
}

/** The slot in which a set of OpenZeppelin keeps the place of an address: in its mapping, which comes one slot after its list. */
function placeInSet(set: Hex, account: Address): Hex {
  const positions = numberToHex(hexToBigInt(set) + 1n, { size: 32 })
  return keccak256(`${padHex(account, { size: 32 })}${positions.slice(2)}`)
}

function listIn(value: Rlp): readonly Rlp[] {
  mustHold(typeof value === 'object', 'an account has no such form')
  return value
}
