import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Address } from 'viem'
import { DEFAULT_LIMITS } from '../src/core/lanes.ts'
import { createPipeline } from '../src/core/pipeline.ts'
import { unmetered } from '../src/core/ports/access.ts'
import { sessionCookie } from '../src/core/sessionCookie.ts'
import { EventLogs } from '../src/history/EventLogs.ts'
import { History } from '../src/history/History.ts'
import { createProjection } from '../src/history/projection/createProjection.ts'
import { ChainIndex } from '../src/history/status/ChainIndex.ts'
import { listEvents } from '../src/operations/events/listEvents.ts'
import { openStore } from '../src/store/openStore.ts'
import { createResponses } from '../src/surfaces/http/responses.ts'
import { createRestApp } from '../src/surfaces/rest/restApp.ts'
import { startServer } from '../src/surfaces/server/server.ts'
import { EventStreams } from '../src/surfaces/stream/EventStreams.ts'
import { noWebhooks } from '../src/webhooks/noWebhooks.ts'
import { noKeys } from '../test/support/app/noKeys.ts'
import { ProjectionDriver } from '../test/support/history/ProjectionDriver.ts'
import { addressOf, hashOf, SyntheticChain, subLog } from '../test/support/history/SyntheticChain.ts'
import { table } from './print.ts'

// Many open streams on one process, over the real server and a store of its own: how long it takes until all of them have
// heard of a block, how busy the process is with them, and how much memory they take.

const STREAMS = Number(process.argv[2] ?? 2_000)
const BLOCKS = 20
const EVENTS_PER_BLOCK = 10
const CHAIN = 1

const folder = mkdtempSync(join(tmpdir(), 'remit-bench-streams-'))
const store = await openStore(`file:${join(folder, 'remit.db')}`)
const projection = createProjection(store)
const chain = new SyntheticChain()
const driver = new ProjectionDriver(projection, chain, CHAIN)
const [id, provider] = [hashOf('a subscription'), addressOf('provider')]
chain.mine([subLog(0, { id, provider })])
await driver.catchUp()

const log = { info: () => {}, warn: console.warn, error: console.error }
const seen = () => ({ ...chain.head, confirmed: true })
const index = new ChainIndex({
  chainId: CHAIN,
  firstBlock: 100,
  source: 'rpc',
  head: seen,
  reader: projection,
  log,
})
index.start()
const events = new EventLogs(projection, [CHAIN])
const tokens = async (addresses: readonly Address[]) => {
  const known = addresses.map((address) => [
    address,
    { address, symbol: 'USDC', name: 'USD Coin', decimals: 6, ownDecimals: 6 },
  ])
  return new Map(known as never)
}
const chains = {
  rows: [{ chainId: CHAIN, name: 'bench', rest: true, mcp: true }],
  defaultChainId: CHAIN,
  health: () => [],
  nodeLimits: () => [],
  throwIfMisconfigured: () => {},
  seen: () => undefined,
  withView: async (_chainId: number, _options: object, use: (view: never) => Promise<unknown>) => {
    const { number: blockNumber, hash: blockHash, timestamp } = chain.head
    const view = {
      chainId: CHAIN,
      asOf: { blockNumber, blockHash, timestamp },
      read: { lastingTokens: tokens },
    }
    return use(view as never)
  },
}
const pipeline = createPipeline({
  identities: {
    identify: async ({ header }) => ({ lane: 'developer', id: header('x-who') ?? 'nobody' }),
  },
  charging: unmetered,
  chains: chains as never,
  history: new History({ reader: projection, indexes: [index] }),
  events,
  keys: noKeys,
  service: { apiEnabled: true, limits: DEFAULT_LIMITS } as never,
  webhooks: noWebhooks,
})
const responses = createResponses({ log, https: false, cors: false })
const streams = new EventStreams({ log: events, pipeline })
const app = createRestApp({
  operations: [listEvents],
  pipeline,
  responses,
  cookie: sessionCookie(false),
  streams,
})
const server = await startServer({
  fetch: async (request, peer) => app.fetch(request, peer),
  refuse: () => new Response(null, { status: 400 }),
  host: '127.0.0.1',
  port: 0,
})

const before = process.memoryUsage.rss()
/** Once in each event. */
const MARK = '"sequence"'
let heard = 0
let wake = () => {}
const open = async (who: number) => {
  const response = await fetch(`${server.url}/events/stream`, {
    headers: { 'x-who': String(Math.floor(who / 10)) },
  })
  if (response.status !== 200 || response.body === null)
    throw new Error(`a stream answered ${response.status}`)
  const reader = response.body.getReader()
  const decoder = new TextDecoder()
  let rest = ''
  void (async () => {
    for (;;) {
      const { value, done } = await reader.read()
      if (done) return
      const text = rest + decoder.decode(value)
      heard += text.split(MARK).length - 1
      // A piece may end within a mark.
      rest = text.slice(1 - MARK.length)
      wake()
    }
  })()
}
for (let who = 0; who < STREAMS; who += 50) {
  await Promise.all(Array.from({ length: Math.min(50, STREAMS - who) }, (_, index) => open(who + index)))
}
const opened = process.memoryUsage.rss()
const took: number[] = []
let cpuMs = 0
for (let block = 0; block < BLOCKS; block += 1) {
  const goal = heard + STREAMS * EVENTS_PER_BLOCK
  const cpu = process.cpuUsage()
  const begun = performance.now()
  chain.mine(
    Array.from({ length: EVENTS_PER_BLOCK }, (_, who) =>
      subLog(2, { id, provider, subscriber: addressOf(`${who}`) }),
    ),
  )
  await driver.step()
  while (heard < goal) {
    await new Promise<void>((resolve) => {
      wake = resolve
      setTimeout(resolve, 1_000)
    })
  }
  took.push(performance.now() - begun)
  const { user, system } = process.cpuUsage(cpu)
  cpuMs += (user + system) / 1_000
}
took.sort((a, b) => a - b)
console.log(
  table(
    [
      'streams',
      'events a block',
      'all have heard, p50',
      'slowest',
      'processor a block, both ends',
      'memory, both ends',
    ],
    [
      [
        String(STREAMS),
        String(EVENTS_PER_BLOCK),
        `${Math.round(took[Math.floor(took.length / 2)] ?? 0)} ms`,
        `${Math.round(took.at(-1) ?? 0)} ms`,
        `${Math.round(cpuMs / BLOCKS)} ms`,
        `${Math.round((opened - before) / 1e6)} MB`,
      ],
    ],
  ),
)
await events.close()
await server.close(1_000)
await index.stop()
await store.close()
rmSync(folder, { recursive: true, force: true })
process.exit(0)
