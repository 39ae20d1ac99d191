import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { createProjection } from '@remit/service/testing/history/projection/createProjection'
import { openStore } from '@remit/service/testing/store/openStore'
import { afterAll, describe, expect, it } from 'vitest'
import { type Random, randomOf } from '../differential/random.ts'
import { beginBusyLife } from '../support/chain/busyLife.ts'
import { useTestChain } from '../support/chain/useTestChain.ts'
import { LogFollower } from '../support/history/LogFollower.ts'
import { projectionRows } from '../support/history/projectionRows.ts'
import { useCountingProxy } from '../support/nodes/countingProxy.ts'
import { trials, trialsTimeoutMs } from '../support/runner/trials.ts'
import {
  environmentOf,
  fills,
  reachesHead,
  rowsFromScratch,
  standsAt,
  startIndexer,
} from '../support/service/indexer.ts'

const SEED = Number(process.env.KILLS_SEED ?? Math.floor(Math.random() * 2 ** 31))
const KILLS_OF_EACH = trials({ short: 3, nightly: 60 })
const BLOCKS = 80

process.stderr.write(`test/index/kills.test.ts: KILLS_SEED=${SEED}\n`)

const chain = await useTestChain()
const life = await beginBusyLife(chain, randomOf(SEED))
for (let block = 0; block < BLOCKS; block += 1) {
  await life.mine(5)
  if (block % 15 === 0) await life.nextDay()
}
await chain.keep()

/** A node that answers four blocks at a time, and not too quickly: there is a backfill to be killed in. */
const node = await useCountingProxy(chain.url)
const slowNode = { ...chain, url: node.url }

const folder = mkdtempSync(join(tmpdir(), 'remit-kills-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
let files = 0
const freshUrl = () => `file:${join(folder, `${++files}.db`)}`

/**
 * Starts the real program and kills it at some moment: mostly a random way into its work, however fast the
 * machine is, and sometimes while it starts. Returns where the projection then stands.
 */
async function startAndKill(databaseUrl: string, random: Random, mostBlocks: number): Promise<number> {
  const indexer = await startIndexer(environmentOf(slowNode, databaseUrl))
  const store = await openStore(databaseUrl)
  const stands = () => standsAt(store, chain.chainId)
  if (random.oneIn(8)) await sleep(random.below(400))
  else {
    await fills(indexer, store)
    const goal = (await stands()) + random.below(mostBlocks)
    const { number: head } = await chain.client.getBlock()
    while ((await stands()) < Math.min(goal, Number(head))) await sleep(8)
    await sleep(random.below(30))
  }
  indexer.process.kill('SIGKILL')
  expect(await indexer.ends()).toBe('SIGKILL')
  const stood = await stands()
  await store.close()
  return stood
}

async function finish(databaseUrl: string) {
  const indexer = await startIndexer(environmentOf(chain, databaseUrl))
  await indexer.says(/Remit indexes/)
  const store = await openStore(databaseUrl)
  await reachesHead(store, chain)
  indexer.process.kill('SIGTERM')
  expect(await indexer.ends()).toBe(0)
  const rows = await projectionRows(store, chain.chainId)
  const follower = new LogFollower(async (query) => {
    const page = await createProjection(store).readLog(chain.chainId, query)
    if (page === undefined) throw new Error('the chain has no log')
    return page
  }, 50)
  await follower.catchUp()
  expect(follower.events).toHaveLength(rows.told.length)
  await store.close()
  return rows
}

describe(`an indexer that is killed again and again (seed ${SEED})`, () => {
  it(
    'reads the history without a gap or a double row',
    async () => {
      node.fail({ delayMs: 10, answer: fourBlocks })
      const { number: head } = await chain.client.getBlock()
      let midway = 0
      const lane = async (random: Random) => {
        const stores: string[] = []
        let url = ''
        for (let kill = 0; kill < KILLS_OF_EACH; kill += 1) {
          if (url === '') {
            url = freshUrl()
            stores.push(url)
          }
          const stands = await startAndKill(url, random, 40)
          if (stands > chain.firstBlock && stands < Number(head)) midway += 1
          // Read to its end: the next kill is another store's.
          if (stands === Number(head)) url = ''
        }
        return stores
      }
      const stores = (await Promise.all([lane(randomOf(SEED + 1)), lane(randomOf(SEED + 2))])).flat()
      const expected = await rowsFromScratch(chain, freshUrl())
      expect(expected.events.length).toBeGreaterThan(150)
      for (const url of stores) expect(await finish(url)).toEqual(expected)
      expect(midway).toBeGreaterThan(KILLS_OF_EACH / 2)
    },
    trialsTimeoutMs(180_000),
  )

  it(
    'follows the head without a gap or a double row',
    async () => {
      const urls = [freshUrl(), freshUrl()]
      let isMining = true
      const mining = (async () => {
        while (isMining) {
          await life.mine(3)
          await sleep(100)
        }
      })()
      const lane = async (url: string, random: Random) => {
        for (let kill = 0; kill < KILLS_OF_EACH; kill += 1) await startAndKill(url, random, 6)
      }
      try {
        await Promise.all(urls.map((url, index) => lane(url, randomOf(SEED + 3 + index))))
      } finally {
        isMining = false
        await mining
      }
      const expected = await rowsFromScratch(chain, freshUrl())
      for (const url of urls) expect(await finish(url)).toEqual(expected)
    },
    trialsTimeoutMs(180_000),
  )
})

function fourBlocks({ method, params }: { method: string; params: readonly unknown[] }) {
  if (method !== 'eth_getLogs') return undefined
  const [{ fromBlock, toBlock }] = params as [{ fromBlock: string; toBlock: string }]
  if (Number(toBlock) - Number(fromBlock) < 4) return undefined
  return { error: { code: -32_602, message: 'block range too large: at most 4 blocks' } }
}
