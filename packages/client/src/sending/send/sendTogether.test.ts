import { type Address, createWalletClient, custom, type Hash } from 'viem'
import { expect, it } from 'vitest'
import { SentSoFar } from './Sending.ts'
import { sendTogether } from './sendTogether.ts'

const OWNER: Address = '0x00000000000000000000000000000000000000aa'
const CONTRACT: Address = '0x00000000000000000000000000000000000000cc'
const HASHES: readonly Hash[] = [`0x${'11'.repeat(32)}`, `0x${'22'.repeat(32)}`]
const CALLS = ['approve', 'subscribe'].map((functionName) => ({
  to: OWNER,
  data: '0x' as const,
  functionName,
}))

/** Sends through a wallet that takes calls one by one, and tells of so many of them with this status. */
async function sent(status: number, told: number): Promise<SentSoFar> {
  const receipts = HASHES.slice(0, told).map((transactionHash) => ({
    transactionHash,
    blockHash: transactionHash,
    blockNumber: '0x1',
    gasUsed: '0x1',
    status: '0x1',
    logs: [{ address: CONTRACT, data: '0x', topics: [] }],
  }))
  const answers: Readonly<Record<string, unknown>> = {
    eth_blockNumber: '0x1',
    wallet_sendCalls: { id: 'bundle' },
    wallet_getCallsStatus: {
      version: '2.0.0',
      id: 'bundle',
      chainId: '0x1',
      atomic: false,
      status,
      receipts,
    },
  }
  const request = async ({ method }: { method: string }) => answers[method]
  const wallet = createWalletClient({ account: OWNER, transport: custom({ request }) })
  const sentSoFar = new SentSoFar()
  const sending = {
    wallet,
    account: wallet.account,
    reader: wallet,
    chainId: 1,
    limits: { timeoutMs: 60, pollingIntervalMs: 20, signal: undefined },
    sentSoFar,
    report: () => {},
    assertMaySign: async () => {},
  }
  // Safe: what it reads of a flow is here.
  await sendTogether(sending as never, { calls: CALLS } as never, { contract: CONTRACT } as never).catch(
    () => undefined,
  )
  return sentSoFar
}

it('is open as long as the wallet has not told the end of its calls, also where some of them are mined', async () => {
  expect((await sent(100, 0)).isOpen('subscribe')).toBe(true)
  expect((await sent(100, 1)).isOpen('subscribe')).toBe(true)
  expect((await sent(200, 2)).isOpen('subscribe')).toBe(false)
})
