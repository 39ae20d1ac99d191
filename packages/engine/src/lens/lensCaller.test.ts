import { Subscriptions } from '@remit/contracts/Subscriptions'
import { callOf, mineBlock } from '@remit/devchain/testing/chain/block'
import { DETAILS, units } from '@remit/testing/support/chain/protocolOn'
import { useReadingGround } from '@remit/testing/support/chain/useReadingGround'
import { type Faults, useCountingProxy } from '@remit/testing/support/nodes/countingProxy'
import { describe, expect, it } from 'vitest'

const ground = await useReadingGround()
const { proxy, wallets, tokens, client, chainId } = ground
const { provider } = wallets
const second = await useCountingProxy(ground.url)

/** Each takes 288 bytes in an answer, so that all of them are more than a creation returns at once. */
const CREATED = 120

for (let created = 0; created < CREATED; created += 60) {
  const contract = { address: ground.contract, abi: Subscriptions.abi }
  const create = (day: number) =>
    callOf(provider, contract, 'createSubscription', [units('1'), tokens.usdc, DETAILS, 2, day], 450_000n)
  await mineBlock(
    client,
    Array.from({ length: 60 }, (_, index) => create(((created + index) % 90) + 1)),
  )
}
await ground.keep()

/** The due days of everything that the provider created. They show that nothing is missing or out of order. */
const expected = Array.from({ length: CREATED }, (_, index) => (index % 90) + 1)

describe('an answer of more than 24 KB', () => {
  it.each<[string, Faults, { cold: number; known: number }]>([
    ['a node that runs lent code', {}, { cold: 1, known: 1 }],
    ['a node that wants numbers', { hashPins: 'refused' }, { cold: 2, known: 1 }],
    // When known: one request for the first part, and one for the others.
    ['a node that refuses overrides', { overrides: 'refused' }, { cold: 4, known: 2 }],
    ['a node that leaves overrides out', { overrides: 'ignored' }, { cold: 3, known: 2 }],
    [
      'a node that refuses overrides and hashes',
      { overrides: 'refused', hashPins: 'refused' },
      { cold: 5, known: 2 },
    ],
  ])('comes whole from %s', async (_, faults, requests) => {
    const chains = ground.open()
    const answers = () => chains.withView(chainId, {}, ({ read }) => read.account(provider))
    await chains.withView(chainId, {}, async () => {})
    proxy.reset()
    proxy.fail(faults)

    const { created } = await answers()
    expect(created.map(({ terms }) => terms.dueDay)).toEqual(expected)
    expect(proxy.requests).toBe(requests.cold)

    proxy.reset()
    await chains.withView(chainId, {}, ({ read }) => read.accountSubscriptions(provider, false))
    expect(proxy.requests).toBe(requests.known)
  })

  it('is put together from pages if a node gives little gas', async () => {
    const requests: number[] = []
    for (const callGas of [6_000_000, 4_000_000]) {
      proxy.fail({ callGas })
      await ground.view(async ({ read }) => {
        const { created } = await read.account(provider)
        expect(created.map(({ terms }) => terms.dueDay)).toEqual(expected)
        requests.push(proxy.requests)
      })
    }
    expect(requests[0]).toBe(1)
    expect(requests[1]).toBeGreaterThan(1)
  })

  it('names the contract’s view if the node gives too little gas for it', async () => {
    proxy.fail({ callGas: 1_500_000 })
    await ground.view(async ({ read }) => {
      await expect(read.account(provider)).rejects.toMatchObject({
        facts: { view: 'getAccountSubscriptions' },
      })
    })
  })
})

describe('an answer of another block', () => {
  it.each<[string, Faults]>([
    ['runs lent code', {}],
    ['refuses overrides', { overrides: 'refused' }],
  ])('is never served, where a node %s', async (_, faults) => {
    const before = await client.getBlockNumber()
    await client.mine({ blocks: 1 })
    // A node that reads an older block, whichever is asked for.
    const pinned = await ground.open()
    await expect(
      pinned.withView(chainId, {}, async ({ read }) => {
        proxy.fail({ ...faults, pin: `0x${before.toString(16)}` })
        return read.protocol()
      }),
    ).rejects.toMatchObject({ code: 'UPSTREAM_ERROR' })
  })

  it('is asked for once more, at the same block', async () => {
    const before = await client.getBlockNumber()
    await client.mine({ blocks: 1 })
    const chains = ground.open()
    await chains.withView(chainId, {}, async ({ asOf, read }) => {
      let called = 0
      proxy.fail({
        pin: `0x${before.toString(16)}`,
        // As a node does that answers while it writes a block.
        before: async (calls) => {
          const isAgain = calls.some(({ method }) => method === 'eth_call') && ++called > 1
          if (isAgain) proxy.fail({})
        },
      })
      await read.protocol()
      expect(called).toBe(2)
      expect(asOf.blockNumber).toBe(Number(before) + 1)
    })
  })
})

it('a node that returns nothing where code was lent is passed over for one that runs it', async () => {
  const told: string[] = []
  const log = { info: () => {}, warn: (message: string) => void told.push(message), error: () => {} }
  const chains = ground.open({ rpcUrls: [proxy.url, second.url] }, log)
  await chains.withView(chainId, {}, async () => {})
  proxy.fail({ overrides: 'ignored' })
  second.reset()
  const { created } = await chains.withView(chainId, {}, ({ read }) => read.account(provider))
  expect(created.map(({ terms }) => terms.dueDay)).toEqual(expected)
  expect(second.reads.flat().filter((method) => method === 'eth_call')).toHaveLength(1)
  expect(told).toEqual([])
})
