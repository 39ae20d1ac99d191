import { type Address, getAddress, isAddressEqual, zeroAddress } from 'viem'
import { decodeTokenLog, type EncodedLog } from '../../protocol/logs/events.ts'
import type { TokenDelta } from './simulateRun.ts'

/**
 * What each account gained or lost of each token, by the tokens' own Transfer logs: exact sums, in the order
 * of first mention.
 *
 * Sums of zero are left out, and so is the zero address, which stands for minting and burning.
 */
export function transferDeltas(logs: readonly EncodedLog[]): TokenDelta[] {
  const deltas = new Map<string, TokenDelta>()
  const add = (token: Address, account: Address, amount: bigint) => {
    if (isAddressEqual(account, zeroAddress)) return
    const key = `${token}:${account}`.toLowerCase()
    const before = deltas.get(key)?.delta ?? 0n
    deltas.set(key, { account: getAddress(account), token: getAddress(token), delta: before + amount })
  }
  for (const log of logs) {
    const event = decodeTokenLog(log)
    if (event?.type !== 'Transfer') continue
    add(log.address, event.from, -event.amountRaw)
    add(log.address, event.to, event.amountRaw)
  }
  return [...deltas.values()].filter(({ delta }) => delta !== 0n)
}
