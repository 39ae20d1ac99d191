import { type Address, encodePacked, type Hex, keccak256 } from 'viem'

/**
 * The id that createSubscription gives (docs/protocol.md).
 *
 * @param nonce the contract's own count of the creator's subscriptions, from 0; not the wallet's nonce
 * @param timestamp unix seconds of the block. So a prepared create cannot know its id
 */
export function subscriptionId(creator: Address, nonce: bigint, timestamp: number): Hex {
  return keccak256(encodePacked(['address', 'uint256', 'uint256'], [creator, nonce, BigInt(timestamp)]))
}
