import { numberToHex } from 'viem'
import { expect, it } from 'vitest'
import * as z from 'zod'
import { silentLog, useReadingGround } from '../../test/support/chain/useReadingGround.ts'
import { createRpc } from './rpc/rpc.ts'

// Another id than the development chain's, whose rollbacks count as wanted.
const ground = await useReadingGround({ chainId: 4_242, goesOn: true })
const { client, proxy, chainId } = ground
const node = createRpc({ chainId, urls: [ground.url], log: silentLog })

const POLL_MS = 50
const LAG = 6

const Header = z.looseObject({ number: z.string(), hash: z.string() })
const Called = z.object({ method: z.string(), params: z.array(z.unknown()) })

/** A node behind the proxy that lags. It has neither the newest blocks nor their state. */
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
  const chains = ground.open({ pollMs: POLL_MS })
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
