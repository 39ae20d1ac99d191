import { describe, expect, it } from 'vitest'
import { BUILT_IN_CHAINS, ChainEntry, isReachable, pollIntervalMs, rollbackAfterMsOf } from './registry.ts'

describe('the built-in chains', () => {
  it('are Base and Base Sepolia, to be reached once an RPC URL is configured', () => {
    expect(BUILT_IN_CHAINS).toMatchObject([
      {
        chainId: 8453,
        contractAddress: '0xFaF5fc2f77b21BC188f492b827D366B03a07c61f',
        firstBlock: 32427185,
        tokens: ['0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913'],
        opStack: true,
      },
      {
        chainId: 84532,
        contractAddress: '0x6A0791Cd884f2199dC8F372f6715f675D2950922',
        firstBlock: 26042632,
        opStack: true,
      },
    ])
    expect(BUILT_IN_CHAINS.some(isReachable)).toBe(false)
  })
})

describe('an entry', () => {
  const least = { chainId: 1, name: 'A chain', contractAddress: `0x${'11'.repeat(20)}` }

  it('needs no more than its id, its name and the contract', () => {
    expect(ChainEntry.parse(least)).toMatchObject({ rest: true, mcp: true, index: 'rpc', opStack: false })
  })

  it.each([
    ['an address with a wrong checksum', { tokens: ['0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02914'] }],
    ['a URL that is none', { rpcUrls: ['localhost:8545'] }],
    ['another protocol', { rpcUrls: ['ws://localhost:8545'] }],
    ['a field that nobody knows', { rpcUrl: 'http://localhost:8545' }],
  ])('is refused with %s', (_, fields) => {
    expect(ChainEntry.safeParse({ ...least, ...fields }).success).toBe(false)
  })

  it('is asked for its head so often that it is 1 s old at most in development, and 2 s elsewhere', () => {
    expect(pollIntervalMs({ chainId: 31337 })).toBeLessThanOrEqual(500)
    expect(pollIntervalMs({ chainId: 8453 })).toBeLessThanOrEqual(1_500)
    expect(pollIntervalMs({ chainId: 8453, pollMs: 100 })).toBe(100)
  })

  it('counts as rolled back soon in development and late elsewhere, because there a node may hang', () => {
    expect(rollbackAfterMsOf({ chainId: 31337 })).toBe(500)
    expect(rollbackAfterMsOf({ chainId: 8453 })).toBe(300_000)
    expect(rollbackAfterMsOf({ chainId: 8453, rollbackAfterMs: 0 })).toBe(0)
  })
})
