import { RequestTrace, tracedChains } from '@remit/service/testing/calls/RequestTrace'
import { silentLog } from '@remit/testing/support/chain/useReadingGround'
import { useTestChain } from '@remit/testing/support/chain/useTestChain'
import { useCountingProxy } from '@remit/testing/support/nodes/countingProxy'
import { afterEach, describe, expect, it } from 'vitest'
import type { ChainObserver, UpstreamRequest } from '../ports/nodes.ts'
import { Chains } from './Chains.ts'
import { ChainEntry } from './registry.ts'

const chain = await useTestChain()
const first = await useCountingProxy(chain.url)
const second = await useCountingProxy(chain.url)
const opened: Chains[] = []
afterEach(() => {
  for (const chains of opened.splice(0)) chains.stop()
})

function observing() {
  const asked: UpstreamRequest[] = []
  const cache: boolean[] = []
  const observer: ChainObserver = {
    upstreamAsked: (request) => void asked.push(request),
    blockCacheAsked: (chainId, known) => {
      expect(chainId).toBe(chain.chainId)
      cache.push(known)
    },
  }
  const entry = ChainEntry.parse({
    chainId: chain.chainId,
    name: 'Test chain',
    contractAddress: chain.contract,
    rpcUrls: [`${first.url}/key-of-somebody`, second.url],
    // Long enough that no poll falls into what is counted.
    pollMs: 60_000,
  })
  const chains = new Chains({
    entries: [entry],
    defaultChainId: chain.chainId,
    rpcTimeoutMs: 3_000,
    log: silentLog,
    observer: tracedChains(observer),
  })
  opened.push(chains)
  const read = () => chains.withView(chain.chainId, {}, (view) => view.read.protocol())
  return { asked, cache, read }
}

/** How many requests to chains are noted on the trace of a piece of work. */
async function traced(work: () => Promise<unknown>): Promise<number> {
  const trace = new RequestTrace()
  await trace.run(work)
  return trace.ended().upstreamRequests
}

describe('what is asked of a chain', () => {
  it('is noted on the request that it is asked for, and an answer that is known costs none', async () => {
    const { read, asked, cache } = observing()
    const cold = await traced(read)
    // Each URL is asked for its newest block.
    expect(cold).toBe(first.methods.length + second.methods.length)
    expect(cold).toBe(asked.length)
    expect(await traced(read)).toBe(0)
    expect(cache).toEqual([false, true])
  })

  it('is noted once, on whichever of equal requests asks first', async () => {
    const { read, asked, cache } = observing()
    const costs = await Promise.all(Array.from({ length: 10 }, () => traced(read)))
    expect(costs.reduce((sum, cost) => sum + cost, 0)).toBe(asked.length)
    expect(asked.length).toBe(first.methods.length + second.methods.length)
    expect(cache).toEqual([false, ...Array.from({ length: 9 }, () => true)])
  })

  it('is reported by the place of the URL, with what went wrong there', async () => {
    const { read, asked } = observing()
    first.fail({ status: 500 })
    await read()
    const told = new Set(asked.map(({ endpoint, failure }) => `${endpoint} ${failure ?? 'answered'}`))
    expect(told).toEqual(new Set(['1 unreachable', '2 answered']))
    expect(JSON.stringify(asked)).not.toMatch(/http|key-of-somebody/)
    for (const { chainId, durationMs } of asked) {
      expect(chainId).toBe(chain.chainId)
      expect(durationMs).toBeGreaterThan(0)
    }
  })

  it('counts a node that refuses as one that answered', async () => {
    const { read, asked } = observing()
    const no = { error: { code: -32602, message: 'no' } }
    for (const node of [first, second]) {
      node.fail({ answer: ({ method }) => (method === 'eth_call' ? no : undefined) })
    }
    await expect(read()).rejects.toThrow()
    expect(asked.length).toBeGreaterThan(2)
    expect(asked.filter(({ failure }) => failure !== undefined)).toEqual([])
  })
})
