import { setTimeout as pause } from 'node:timers/promises'
import type { Account, Chain, Hex, Transport, WalletClient } from 'viem'
import { Status } from './answers.ts'
import type { CheckedCall } from './checkTransactions.ts'
import type { Tools } from './Tools.ts'

const MOST_POLLS = 60

export interface Sender {
  readonly tools: Tools
  readonly wallet: WalletClient<Transport, Chain | undefined, Account>
  readonly chainId: number
  readonly say: (line: string) => void
}

/**
 * Signs and sends one after the other: each is seen to have succeeded before the next is signed. Returns the last
 * one's block.
 *
 * Gas and fees are the wallet's own business: it takes nobody's word for them.
 */
export async function sendInOrder(
  { tools, wallet, chainId, say }: Sender,
  calls: readonly CheckedCall[],
): Promise<number> {
  const on = await wallet.getChainId()
  if (on !== chainId) throw new Error(`The wallet is on chain ${on}, not ${chainId}: nothing was signed.`)
  let last = 0
  for (const { words, to, data } of calls) {
    const hash = await wallet.sendTransaction({ chain: null, to, data })
    const { blockNumber, events } = await follow(tools, hash)
    say(`  ${words}: ${hash}, block ${blockNumber}${events && `, ${events}`}`)
    last = blockNumber
  }
  return last
}

async function follow(tools: Tools, txHash: Hex): Promise<{ blockNumber: number; events: string }> {
  for (let poll = 0; poll < MOST_POLLS; poll += 1) {
    const found = await tools.call('get_transaction_status', { txHash }, Status)
    const { status, blockNumber, reason, events } = found
    if (status === 'reverted')
      throw new Error(`${txHash} reverted: ${reason?.message ?? 'no reason is known'}`)
    if (status === 'success' && blockNumber !== null) {
      const named = events.filter(({ eventName }) => eventName !== undefined)
      return {
        blockNumber,
        events: named.map(({ eventName, amount }) => `${eventName} ${amount}`).join(', '),
      }
    }
    await pause(1_000)
  }
  throw new Error(`${txHash} was not mined within ${MOST_POLLS} s; it may be later.`)
}
