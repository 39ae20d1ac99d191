import { domainSeparator } from 'viem'
import { describe, expect, it } from 'vitest'
import {
  BUILT_IN_CHAINS,
  ChainEntry,
  devChainOf,
  isReachable,
  pollIntervalMs,
  rollbackAfterMsOf,
} from './registry.ts'

it('the built-in chains are Base and Base Sepolia, to be reached once an RPC URL is configured', () => {
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

it('the token of Base, USDC, takes signatures in a domain that hashes to what its DOMAIN_SEPARATOR() answers there', () => {
  const { chainId, tokens } = BUILT_IN_CHAINS.find(({ name }) => name === 'Base') ?? {}
  expect(tokens).toHaveLength(1)
  const domain = { name: 'USD Coin', version: '2', chainId, verifyingContract: tokens?.[0] }
  expect(domainSeparator({ domain })).toBe(
    '0x02fa7265e7c5d81118673727957699e4d68f74cd74b7db77da710fe8a2c7834f',
  )
})

describe('the chain that wallets may be told the node of', () => {
  const chain = (chainId: number, ...rpcUrls: string[]) =>
    ChainEntry.parse({ chainId, name: 'A chain', contractAddress: `0x${'11'.repeat(20)}`, rpcUrls })

  it('is the development chain, at the port that it has', () => {
    const chains = [chain(8453, 'http://127.0.0.1:8545'), chain(31_337, 'http://127.0.0.1:8591')]
    expect(devChainOf(chains)).toEqual({ chainId: 31_337, rpcUrl: 'http://127.0.0.1:8591' })
  })

  it.each([
    'https://rpc.example',
    'http://localhost:8545/v2/key',
    'http://localhost:8545/?key=1',
    'http://user:key@localhost:8545',
  ])('is none at %s, which may hold a key', (rpcUrl) => {
    expect(devChainOf([chain(31_337, rpcUrl)])).toBeUndefined()
  })

  it('is no other one, and none that has no node', () => {
    expect(devChainOf([chain(8453, 'http://127.0.0.1:8545'), chain(31_337)])).toBeUndefined()
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
