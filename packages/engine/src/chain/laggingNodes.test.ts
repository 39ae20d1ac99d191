import { silentLog, useReadingGround } from '@remit/testing/support/chain/useReadingGround'
import { useCountingProxy } from '@remit/testing/support/nodes/countingProxy'
import { numberToHex } from 'viem'
import { expect, it } from 'vitest'
import * as z from 'zod'
import { createRpc } from '../rpc/rpc.ts'

const ground = await useReadingGround({ chainId: 4_242, goesOn: true })
const { client, proxy, chainId } = ground
const node = createRpc({ chainId, urls: [ground.url], log: silentLog })

const POLL_MS = 50
const LAG = 6

const Header = z.looseObject({ number: z.string(), hash: z.string() })
const Called = z.object({ method: z.string(), params: z.array(z.unknown()) })

/** A node behind the proxy that lags by so many of the blocks that it has mined. It has neither those nor their state. */
function nodeThatLags() {
  const headers: z.output<typeof Header>[] = []
  const numbered = async (blockNumber: bigint) => {
    return node.request('eth_getBlockByNumber', [numberToHex(blockNumber), false], Header)
  }
  return {
    async mine(blocks: number) {
      for (let count = 0; count < blocks; count += 1) {
        await client.mine({ blocks: 1 })
        const { number } = await client.getBlock()
        headers.push(await numbered(number))
      }
    },
    answer(call: unknown) {
      const { method, params } = Called.parse(call)
      const known = headers.slice(0, -LAG)
      if (method === 'eth_getBlockByNumber' && params[0] === 'latest') return { result: known.at(-1) }
      const newest = Number(known.at(-1)?.number ?? 0)
      if (method === 'eth_getBlockByNumber' && Number(params[0]) > newest) return { result: null }
      const pin = params
        .map((param) => z.object({ blockHash: z.string() }).safeParse(param).data)
        .find(Boolean)
      if (pin === undefined || known.some(({ hash }) => hash === pin.blockHash)) return undefined
      return { error: { code: -32000, message: 'header not found' } }
    },
  }
}

it('nodes that lag do not take answers back in time, alone or in turn with others', async () => {
  const lagging = nodeThatLags()
  await lagging.mine(LAG + 5)
  const chains = ground.open({ pollMs: POLL_MS, rollbackAfterMs: 300_000 })
  chains.start()
  const seen: number[] = []
  const ask = async () => {
    // A read that began before another one may end after it.
    const newestSeen = Math.max(0, ...seen)
    try {
      const asOf = await chains.withView(chainId, {}, async ({ asOf, read }) => {
        await read.signer(ground.wallets.alice)
        return asOf
      })
      expect(asOf.blockNumber).toBeGreaterThanOrEqual(newestSeen)
      seen.push(asOf.blockNumber)
    } catch (error) {
      if (error instanceof Error && error.name === 'AssertionError') throw error
      // No node that can be reached has that block's state, which is an error and no answer of another block.
      expect(error).toMatchObject({ code: 'UPSTREAM_ERROR' })
    }
  }
  const live = async (rounds: number, blocks: number) => {
    const asked: Promise<void>[] = []
    for (let round = 0; round < rounds; round += 1) {
      await lagging.mine(blocks)
      asked.push(ask())
      await new Promise((resolve) => setTimeout(resolve, POLL_MS))
    }
    await Promise.all(asked)
  }

  let turn = 0
  proxy.fail({ answer: (call) => (turn++ % 2 === 0 ? lagging.answer(call) : undefined) })
  await live(20, 1)
  // The node stands still for a second and a half, and then follows as far behind as before.
  proxy.fail({ answer: (call) => lagging.answer(call) })
  await live(30, 0)
  await live(LAG - 1, 1)
  proxy.fail({})
  await live(5, 1)

  expect(new Set(seen).size).toBeGreaterThan(5)
  const { number } = await client.getBlock()
  const newest = async () => {
    await ask()
    return seen.at(-1)
  }
  await expect.poll(newest).toBe(Number(number))
}, 30_000)

it('a first node that stands still is not the chain: reads are of the second one, which is asked first then', async () => {
  const second = await useCountingProxy(ground.url)
  const still = nodeThatLags()
  await still.mine(LAG + 1)
  const chains = ground.open({ pollMs: POLL_MS, rpcUrls: [proxy.url, second.url] })
  proxy.fail({ answer: (call) => still.answer(call) })
  chains.start()
  const asOf = () =>
    chains.withView(chainId, {}, async ({ asOf, read }) => {
      await read.signer(ground.wallets.alice)
      return asOf
    })
  for (let block = 0; block < 3; block += 1) {
    await client.mine({ blocks: 1 })
    const { number } = await client.getBlock()
    await expect.poll(async () => (await asOf()).blockNumber, { timeout: 10_000 }).toBe(Number(number))
  }
  proxy.reset()
  await asOf()
  // No more than for its newest block.
  expect(proxy.methods.filter((method) => method !== 'eth_getBlockByNumber')).toEqual([])
}, 30_000)

it('a chain that stands still is told of, with one node too', async () => {
  const [told, log] = [[] as string[], { ...silentLog, error: (message: string) => void told.push(message) }]
  // The blocks of this chain are of days ago.
  const chains = ground.open({ pollMs: POLL_MS, devChain: false }, log, { wallNow: Date.now })
  chains.start()
  await expect.poll(() => told.join(), { timeout: 10_000 }).toMatch(/block \d+, which is \d+ s old/)
  const [health] = chains.health()
  expect(health?.rpc).toMatchObject({
    ok: true,
    alarm: expect.stringMatching(/block \d+, which is \d+ s old/),
  })
  expect(health?.rpc.headAgeSeconds).toBeGreaterThan(60)
})
