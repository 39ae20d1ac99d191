import { PAGE_CHAIN, usePageModules } from '@remit/testing/support/browser/usePageModules'
import { describe, expect, it, vi } from 'vitest'

const CONTRACT = '0x00000000000000000000000000000000000000cc'
usePageModules({
  chain: {
    ...PAGE_CHAIN,
    devRpcUrl: 'http://localhost:8545',
    contract: CONTRACT,
    block: { blockNumber: 20, blockHash: '0x', timestamp: 0 },
  },
})

const A = '0x00000000000000000000000000000000000000aa'
const NOW = Date.UTC(2026, 2, 2)
const sent = { step: 1, of: 1, functions: [], calls: [], hash: '0x1', callsId: null, from: A, sentAfter: 20 }
const row = {
  asked: { flow: 'remit', request: {} },
  title: 'Collect',
  done: 'Collected.',
  chainId: 31_337,
  contract: CONTRACT,
  atMs: NOW - 60_000,
  sent,
}

/** How many of these the page takes for what the account has sent here. */
async function taken(...rows: readonly unknown[]): Promise<number> {
  vi.setSystemTime(NOW)
  vi.stubGlobal('localStorage', { getItem: () => JSON.stringify(rows) })
  const { pendingOf } = await import('./pendingSends.ts')
  vi.useRealTimers()
  return pendingOf({ address: A }).length
}

describe('what is pending of what was sent', () => {
  it('is that of the account, on this chain', async () => {
    expect(await taken(row, { ...row, sent: { ...sent, hash: '0x2', from: A.toUpperCase() } })).toBe(2)
  })

  it.each<[what: string, change: object]>([
    ['of another account', { sent: { ...sent, from: CONTRACT } }],
    ['on another chain', { chainId: 1 }],
    ['with another contract', { contract: A }],
    ['for so long that nobody waits for it', { atMs: NOW - 8 * 86_400_000 }],
    ['on a development chain that was set back', { sent: { ...sent, sentAfter: 21 } }],
    ['by a flow that there is not', { asked: { flow: 'getAccount', request: {} } }],
    ['without a hash and without an id', { sent: { ...sent, hash: null } }],
    ['in another form', { sent: null }],
  ])('leaves out what was sent %s', async (_what, change) => {
    expect(await taken({ ...row, ...change })).toBe(0)
  })

  it('is nothing where the browser has stored something else', async () => {
    vi.stubGlobal('localStorage', { getItem: () => '{' })
    const { pendingOf } = await import('./pendingSends.ts')
    expect(pendingOf({ address: A })).toEqual([])
  })
})
