import { rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import { gunzipSync } from 'node:zlib'
import { Bytes } from '@remit/engine/schema/hex'
import { protocolOn } from '@remit/testing/support/chain/protocolOn'
import { type DeployedChain, takeDeployedChain } from '@remit/testing/support/chain/takeDeployedChain'
import { writeSubscribers } from '@remit/testing/support/chain/writeState'
import { GethChain } from '@remit/testing/support/geth/GethChain'
import { exchange } from '@remit/testing/support/service/exchange'
import { hexToBytes } from 'viem'
import * as z from 'zod'
import { machine, quantile, table } from './print.ts'
import { Server } from './server.ts'

// The service over a chain with many memberships due and a block every two seconds, while people look at outlooks and pages:
// how long its event loop stands still, whether it stays ready, and how long a view takes:
// `npm run bench -- outlook <seconds> <memberships>…`.

const [, , seconds = '60', ...sizes] = process.argv
/** How long each measurement takes. */
const FOR_MS = Number(seconds) * 1_000
const SIZES = sizes.length === 0 ? [1_000, 10_000] : sizes.map(Number)
const CALLERS = [1, 20]
/** One plan for each day of the week. */
const PLANS = 7
const BLOCK_MS = 2_000
const READY_EVERY_MS = 250
/** Twenty outlooks and twenty page views a minute, in turns. */
const VIEW_EVERY_MS = 60_000 / 40
const PAYERS = 4
const MOST_TRIES = 30
const GAS_LIMIT = 60_000_000

const Dump = z.object({ accounts: z.record(z.string(), z.looseObject({})) })

interface Seen {
  readonly viewsMs: number[]
  readonly statuses: Map<number, number>
  notReady: number
  readyAsked: number
}

async function startWorld(size: number) {
  const chain = await takeDeployedChain({ timestamp: Math.floor(Date.now() / 1_000), isNew: true })
  const { client, wallets, deployment, url, chainId } = chain
  const ground = { url, client, wallets, contract: deployment.contract, tokens: deployment.tokens }
  const protocol = protocolOn(ground)
  const payers = [wallets.alice, wallets.bob, wallets.carol, wallets.dave].slice(0, PAYERS)
  for (let dueDay = 1; dueDay <= PLANS; dueDay += 1) {
    await writeSubscribers(ground, await protocol.create({ dueDay }), Math.floor(size / PLANS))
  }
  const plan = await protocol.create({ dueDay: 3 })
  for (const payer of payers) await protocol.join(plan, payer)
  const node = await toGeth(chain)
  const mine = async () => {
    await node.mine({ timestamp: Math.floor(Date.now() / 1_000), transactions: [] })
    return (await node.header()).number
  }
  // The genesis is older than any forecast may be.
  await mine()
  const database = join(tmpdir(), `remit-bench-outlook-${process.pid}-${size}.db`)
  const environment = {
    HOST: '127.0.0.1',
    PORT: '0',
    LOG_LEVEL: 'error',
    DATABASE_URL: `file:${database}`,
    DEFAULT_REST_CHAIN_ID: String(chainId),
    [`RPC_URL_${chainId}`]: node.url,
    [`CONTRACT_ADDRESS_${chainId}`]: deployment.contract,
    [`TOKENS_${chainId}`]: Object.values(deployment.tokens).join(','),
    TRUSTED_PROXIES: '127.0.0.1',
    // One address asks for as much as twenty do.
    LIMIT_FREE_GLOBAL_RPM: '100000',
    LIMIT_FREE_EXPENSIVE_RPM: '100000',
    LIMIT_FREE_SUBGRAPH_DAILY: '100000',
    LIMIT_FREE_DAILY_TOTAL_REQUESTS: '1000000',
  }
  return {
    payers,
    mine,
    environment,
    async stop() {
      await node.stop()
      for (const end of ['', '-wal', '-shm']) rmSync(`${database}${end}`, { force: true })
    },
  }
}

/**
 * A geth whose genesis is an anvil's state. An anvil answers nothing else while it simulates, and a read that waits for that
 * comes from another block.
 */
async function toGeth({ client, chainId, stop }: DeployedChain): Promise<GethChain> {
  const dumped = await client.request({ method: 'anvil_dumpState' })
  const { accounts } = Dump.parse(JSON.parse(gunzipSync(hexToBytes(Bytes.parse(dumped))).toString()))
  await stop()
  const timestamp = Math.floor(Date.now() / 1_000) - 60
  return GethChain.start({ chainId, timestamp, gasLimit: GAS_LIMIT, alloc: accounts })
}

async function look(
  server: Server,
  world: Awaited<ReturnType<typeof startWorld>>,
  callers: number,
): Promise<Seen> {
  const base = `http://127.0.0.1:${server.port}`
  const seen: Seen = { viewsMs: [], statuses: new Map(), notReady: 0, readyAsked: 0 }
  const until = performance.now() + FOR_MS
  const views: Promise<void>[] = []
  const view = async (place: number) => {
    const payer = world.payers[place % PAYERS]
    const isPage = place % 2 === 1
    const page = place % 4 === 1 ? `/me?address=${payer}` : '/keeper'
    const path = isPage ? page : `/accounts/${payer}/outlook`
    const headers = {
      'X-Forwarded-For': `198.51.100.${1 + (place % callers)}`,
      Accept: isPage ? 'text/html' : 'application/json',
    }
    const begun = performance.now()
    const { status, text } = await exchange(`${base}${path}`, { headers }).catch((error: unknown) => ({
      status: 0,
      text: String(error),
    }))
    if (status !== 200) process.stderr.write(`${path} ${status}: ${text.slice(0, 300)}\n`)
    seen.viewsMs.push(performance.now() - begun)
    seen.statuses.set(status, (seen.statuses.get(status) ?? 0) + 1)
  }
  const every = async (ms: number, act: (place: number) => Promise<unknown>) => {
    for (let place = 0; performance.now() < until; place += 1) {
      const next = performance.now() + ms
      await act(place)
      await sleep(Math.max(0, next - performance.now()))
    }
  }
  await Promise.all([
    every(BLOCK_MS, () => world.mine()),
    every(VIEW_EVERY_MS, async (place) => void views.push(view(place))),
    every(READY_EVERY_MS, async () => {
      const { status } = await exchange(`${base}/ready`).catch(() => ({ status: 0 }))
      seen.readyAsked += 1
      if (status !== 200) seen.notReady += 1
    }),
  ])
  await Promise.all(views)
  return seen
}

/** Until an outlook is answered: the first forecast takes longer than anybody waits. */
async function warmUp(
  server: Server,
  { mine, payers }: Awaited<ReturnType<typeof startWorld>>,
): Promise<void> {
  for (let tries = 0; tries < MOST_TRIES; tries += 1) {
    // The chain continues meanwhile. It stood still while the server was built, so its clock jumps with the first
    // block, and a forecast of the block before is discarded.
    const minBlock = await mine()
    const path = `/accounts/${payers[0]}/outlook?minBlock=${minBlock}`
    const { status } = await exchange(`http://127.0.0.1:${server.port}${path}`)
    if (status === 200) return
    await sleep(1_000)
  }
  throw new Error('no outlook is answered')
}

const rows: string[][] = []
for (const size of SIZES) {
  const world = await startWorld(size)
  try {
    for (const callers of CALLERS) {
      const server = await Server.start({ kind: 'service', environment: world.environment, routes: [] })
      try {
        await warmUp(server, world)
        await server.used()
        // What the machine alone does to a process that hardly works.
        const stalls = monitorEventLoopDelay({ resolution: 10 })
        stalls.enable()
        const { viewsMs, statuses, notReady, readyAsked } = await look(server, world, callers)
        const { longestStallMs } = await server.used()
        const row = [
          size.toLocaleString('en'),
          String(callers),
          String(viewsMs.length),
          [...statuses].map(([status, count]) => `${status}: ${count}`).join(', '),
          ...[0.5, 0.99].map((share) => quantile(viewsMs, share).toFixed(0)),
          longestStallMs.toFixed(0),
          (stalls.max / 1e6).toFixed(0),
          `${notReady} of ${readyAsked}`,
        ]
        rows.push(row)
        process.stderr.write(`${row.join(' | ')}\n`)
      } finally {
        server.stop()
      }
    }
  } finally {
    await world.stop()
  }
}
const heads = [
  'due',
  'callers',
  'views',
  'answers',
  'p50, ms',
  'p99, ms',
  'stall, ms',
  'of the asker',
  'not ready',
]
process.stdout.write(`${machine()}\n\n${table(heads, rows)}\n`)
