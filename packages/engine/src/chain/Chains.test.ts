import { startAnvil } from '@remit/devchain/testing/chain/anvil'
import { createDevClient } from '@remit/devchain/testing/chain/client'
import { deployProtocol } from '@remit/devchain/testing/chain/deploy'
import { silentLog } from '@remit/testing/support/chain/useReadingGround'
import { useCountingProxy } from '@remit/testing/support/nodes/countingProxy'
import { afterAll, afterEach, describe, expect, it } from 'vitest'
import * as z from 'zod'
import { BlockGoneError } from '../ports/chains.ts'
import type { ThreadAnswers } from '../ports/forecasts.ts'
import { createRpc } from '../rpc/rpc.ts'
import { Chains } from './Chains.ts'
import { BUILT_IN_CHAINS, ChainEntry } from './registry.ts'

// On its own chain, because a chain that was reorganised cannot be reverted to its snapshot after each test.
const anvil = await startAnvil()
const other = await startAnvil({ chainId: 4242 })
afterAll(() => Promise.all([anvil.stop(), other.stop()]))
const client = createDevClient(anvil.url)
const node = createRpc({ chainId: anvil.chainId, urls: [anvil.url], log: silentLog })
const proxy = await useCountingProxy(anvil.url)
const entries = await Promise.all(
  [anvil, other].map(async ({ url, chainId }) => {
    const on = createDevClient(url)
    const [admin, janitor] = await on.getAddresses()
    if (admin === undefined || janitor === undefined) throw new Error('anvil has no accounts')
    const { contract, tokens } = await deployProtocol(on, { admin, janitor })
    return ChainEntry.parse({
      chainId,
      name: `Chain ${chainId}`,
      contractAddress: contract,
      rpcUrls: [chainId === anvil.chainId ? proxy.url : url],
      tokens: [tokens.usdc],
      pollMs: 50,
    })
  }),
)
await client.mine({ blocks: 3 })

const opened: Chains[] = []
afterEach(() => {
  for (const chains of opened.splice(0)) chains.stop()
})
function open(some: readonly ChainEntry[] = entries, rpcTimeoutMs = 2_000) {
  const chains = new Chains({ entries: some, defaultChainId: anvil.chainId, rpcTimeoutMs, log: silentLog })
  opened.push(chains)
  return chains
}
const reorg = (depth: number) => node.request('anvil_reorg', [depth, []], z.unknown())

describe('the registry', () => {
  it('lists chains without an RPC URL, and no route may name them', () => {
    expect(open([...BUILT_IN_CHAINS, ...entries]).rows).toEqual([
      { chainId: 8453, caip2: 'eip155:8453', name: 'Base', rest: false, mcp: false, default: false },
      {
        chainId: 84532,
        caip2: 'eip155:84532',
        name: 'Base Sepolia',
        rest: false,
        mcp: false,
        default: false,
      },
      { chainId: 31337, caip2: 'eip155:31337', name: 'Chain 31337', rest: true, mcp: true, default: true },
      { chainId: 4242, caip2: 'eip155:4242', name: 'Chain 4242', rest: true, mcp: true, default: false },
    ])
  })

  it('keeps a chain from one of the surfaces', () => {
    const [row] = open(entries.map((entry) => ({ ...entry, mcp: false }))).rows
    expect(row).toMatchObject({ rest: true, mcp: false })
  })

  it('has the default chain', () => {
    expect(() => open(BUILT_IN_CHAINS)).toThrow('the default chain 31337 is not in the registry')
  })
})

describe('a view', () => {
  it('is of one block, the head', async () => {
    const { number, hash, timestamp } = await client.getBlock()
    const seen = await open().withView(anvil.chainId, {}, async (view) => view)
    expect(seen).toMatchObject({
      chainId: anvil.chainId,
      name: 'Chain 31337',
      contractAddress: entries[0]?.contractAddress,
      asOf: { blockNumber: Number(number), blockHash: hash, timestamp: Number(timestamp) },
      today: Math.floor(Number(timestamp) / 86_400),
    })
  })

  it('is of the chain that is asked for', async () => {
    const chains = open()
    chains.start()
    for (const { chainId } of entries) {
      const settings = await chains.withView(chainId, {}, (view) => view.read.protocol())
      expect(settings.maxRemits).toBe(25)
    }
    expect(chains.health()).toMatchObject([
      { chainId: 31337, rpc: { ok: true } },
      { chainId: 4242, rpc: { ok: true } },
    ])
  })

  it('reads through a node that comes second', async () => {
    const [entry] = entries
    if (entry === undefined) throw new Error('there is no entry')
    const chains = open([{ ...entry, rpcUrls: ['http://127.0.0.1:1', ...entry.rpcUrls] }])
    await expect(chains.withView(anvil.chainId, {}, (view) => view.read.protocol())).resolves.toBeDefined()
  })

  it('waits for the block that a wallet has seen', async () => {
    const chains = open()
    const blockNumber = Number(await client.getBlockNumber())
    setTimeout(() => client.mine({ blocks: 1 }), 100)
    const asOf = await chains.withView(
      anvil.chainId,
      { minBlock: blockNumber + 1 },
      async (view) => view.asOf,
    )
    expect(asOf.blockNumber).toBe(blockNumber + 1)
    await expect(
      chains.withView(anvil.chainId, { minBlock: blockNumber + 50 }, async () => {}),
    ).rejects.toMatchObject({ code: 'BLOCK_NOT_SEEN' })
  })

  it('is made again if its block was reorganised away', async () => {
    await client.mine({ blocks: 2 })
    const seen: string[] = []
    const settings = await open().withView(anvil.chainId, {}, async (view) => {
      seen.push(view.asOf.blockHash)
      if (seen.length === 1) await reorg(1)
      return view.read.protocol()
    })
    expect(settings.maxRemits).toBe(25)
    expect(seen).toHaveLength(2)
    expect(seen[1]).toBe((await client.getBlock()).hash)
  })

  it('fails with a named error if its block is gone again', async () => {
    await client.mine({ blocks: 4 })
    await expect(
      open().withView(anvil.chainId, {}, async (view) => {
        await reorg(1)
        return view.read.protocol()
      }),
    ).rejects.toMatchObject({ code: 'UPSTREAM_ERROR' })
  })

  it('releases a caller that has left', async () => {
    proxy.fail({ hang: true })
    const leaving = new AbortController()
    const reading = open().withView(anvil.chainId, { signal: leaving.signal }, async () => {})
    leaving.abort(new Error('left'))
    await expect(reading).rejects.toThrow('left')
  })

  it('fails with a named error if the chain does not answer, and other chains go on', async () => {
    const chains = open(entries, 3_000)
    chains.start()
    proxy.fail({ drop: true })
    await expect(chains.withView(anvil.chainId, {}, async () => {})).rejects.toMatchObject({
      code: 'UPSTREAM_ERROR',
    })
    await expect(chains.withView(4242, {}, async (view) => view.chainId)).resolves.toBe(4242)
    expect(chains.health()).toMatchObject([{ rpc: { ok: false } }, { rpc: { ok: true } }])
  })
})

describe('what is answered in a thread', () => {
  function answeredBy(answer: ThreadAnswers['answer']) {
    const threadAnswers = { answer }
    const chains = new Chains({ entries, defaultChainId: anvil.chainId, log: silentLog, threadAnswers })
    opened.push(chains)
    const question = { operation: 'simulate_remit', input: {}, requestId: 'one' }
    return chains.withView(anvil.chainId, {}, async (view) => view.answerInThread?.(question))
  }

  it('is asked at the next head where the block is gone', async () => {
    let asked = 0
    const answering = answeredBy(async ({ block }) => {
      asked += 1
      if (asked === 1) throw new BlockGoneError('away')
      return { number: block.number }
    })
    expect(await answering).toEqual({ number: Number(await client.getBlockNumber()) })
    expect(asked).toBe(2)
  })

  it('is the node’s failure where no head’s state is there', async () => {
    const gone = () => Promise.reject(new BlockGoneError('away'))
    await expect(answeredBy(gone)).rejects.toMatchObject({ code: 'UPSTREAM_ERROR', status: 502 })
  })
})
