import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { multipliedLimits } from '@remit/service/configuration/loadConfig'
import { afterAll, afterEach, expect, it } from 'vitest'
import { WebSocket } from 'ws'
import * as z from 'zod'
import { randomOf } from '../differential/random.ts'
import { beginBusyLife } from '../support/chain/busyLife.ts'
import { useTestChain } from '../support/chain/useTestChain.ts'
import { killPrograms, type Program, runBundled } from '../support/programs/program.ts'
import { useBundle } from '../support/programs/useBundle.ts'
import { trials, trialsTimeoutMs } from '../support/runner/trials.ts'
import { freePort } from '../support/service/freePort.ts'
import { ADMIN_SECRET } from '../support/service/testService.ts'
import { Receiver } from '../support/webhooks/Receiver.ts'

// The real process under mixed load over a chain that goes on: an hour at night, and long enough in every run to see a
// leak of each request. What is held is measured at rest, in pauses of the load, after what is kept for long has been
// filled: the first third of the time is not looked at.

const SECONDS = trials({ short: 40, nightly: 3_600 })
const ROUNDS = trials({ short: 3, nightly: 60 })
const REST_MS = 1_500
/** The share by which memory may grow, from the middle third to the last. In less than a minute, caches still fill. */
const HEAP_GROWTH = trials({ short: 0.25, nightly: 0.1 })
const RESIDENT_GROWTH = trials({ short: 1, nightly: 0.15 })
const NOISE_MB = 16
/** Connections of the pools to the node and of what polls come and go. */
const SPARE_HANDLES = 8

const chain = await useTestChain({ goesOn: true })
const random = randomOf(1)
const life = await beginBusyLife(chain, random)
for (let block = 0; block < 10; block += 1) await life.mine(3)

const folder = mkdtempSync(join(tmpdir(), 'remit-soak-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
afterEach(killPrograms)

const Key = z.object({ token: z.string() })

async function startService() {
  const metricsPort = await freePort()
  const program = runBundled(await useBundle('packages/service/src/main.ts'), [], {
    ...multipliedLimits(100_000),
    NODE_OPTIONS: '--inspect=127.0.0.1:0',
    PORT: '0',
    HOST: '127.0.0.1',
    LOG_LEVEL: 'warn',
    METRICS_PORT: String(metricsPort),
    DATABASE_URL: `file:${join(folder, 'soak.db')}`,
    DEFAULT_REST_CHAIN_ID: String(chain.chainId),
    [`RPC_URL_${chain.chainId}`]: chain.url,
    [`CONTRACT_ADDRESS_${chain.chainId}`]: chain.contract,
    [`TOKENS_${chain.chainId}`]: Object.values(chain.tokens).join(),
    DEVELOPER_KEYS_ADMIN_SECRET: ADMIN_SECRET,
    SECRETS_KEY: '5e'.repeat(32),
    WEBHOOKS: 'true',
    WEBHOOKS_ALLOW_LOOPBACK: 'true',
  })
  const [, url = ''] = await program.says(/Remit is ready: REST (\S+), MCP/, 60_000)
  while ((await fetch(`${url}/ready`)).status !== 200) await sleep(50)
  return { program, url, metricsUrl: `http://127.0.0.1:${metricsPort}/metrics` }
}

/** Has the process collect its garbage, over its inspector: what is left of the heap is held. */
async function collectorOf(program: Program) {
  const [, address = ''] = await program.says(/Debugger listening on (ws:\S+)/)
  const socket = new WebSocket(address)
  await once(socket, 'open')
  return {
    async collect() {
      socket.send(JSON.stringify({ id: 1, method: 'HeapProfiler.collectGarbage' }))
      await once(socket, 'message')
    },
    // A process with a debugger does not end by itself.
    close: () => socket.close(),
  }
}

/** What the process holds, as Prometheus reads it. */
async function heldBy(metricsUrl: string) {
  const text = await (await fetch(metricsUrl)).text()
  const metric = (name: string) => Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1])
  const megabytes = (name: string) => Math.round(metric(name) / 1024 / 1024)
  return {
    residentMb: megabytes('process_resident_memory_bytes'),
    heapMb: megabytes('nodejs_heap_size_used_bytes'),
    externalMb: megabytes('nodejs_external_memory_bytes'),
    files: metric('process_open_fds'),
    handles: metric('nodejs_active_handles_total'),
  }
}

type Held = Awaited<ReturnType<typeof heldBy>>

it(
  'serves reads, searches, histories, prepares, streams, webhooks and MCP over a moving chain, and holds no more in the end',
  async () => {
    const { program, url, metricsUrl } = await startService()
    const garbage = await collectorOf(program)
    const receiver = await new Receiver().start()
    const statuses = new Map<string, number>()
    const ask = async (kind: string, path: string, init: RequestInit = {}) => {
      const response = await fetch(`${url}${path}`, init)
      const text = await response.text()
      const what = `${kind} ${response.status}`
      statuses.set(what, (statuses.get(what) ?? 0) + 1)
      return { status: response.status, text }
    }
    const post = (kind: string, path: string, body: unknown, headers: Record<string, string> = {}) =>
      ask(kind, path, {
        method: 'POST',
        headers: {
          'Content-Type': 'application/json',
          Accept: 'application/json, text/event-stream',
          ...headers,
        },
        body: JSON.stringify(body),
      })

    const admin = { 'X-Service-Admin-Key': ADMIN_SECRET }
    const made = await post('key', '/developer/keys', { subjectId: 'soak' }, admin)
    const key = { 'X-API-Key': Key.parse(JSON.parse(made.text)).token }
    const hooked = await post('webhook', '/developer/webhooks', { url: receiver.url('/soak') }, key)
    expect(hooked.status, hooked.text).toBe(201)

    let streamed = 0
    const someId = () => random.pick(life.ids)
    const somebody = () => random.pick(life.people)
    const work: readonly (() => Promise<unknown>)[] = [
      () => ask('read', `/subscriptions/${someId()}`),
      () => ask('read', `/accounts/${somebody()}`),
      () => ask('read', '/protocol/state'),
      // With a key, because the free lane has shorter pages.
      () => ask('search', `/subscriptions?first=${1 + random.below(20)}`, { headers: key }),
      () => ask('search', `/subscriptions?provider=${somebody()}`),
      () => ask('history', `/subscriptions/${someId()}/history`),
      () => ask('history', `/accounts/${somebody()}/activity`),
      () => ask('outlook', `/accounts/${somebody()}/outlook`),
      () => post('prepare', '/prepare/subscribe_by_id', { from: somebody(), id: someId() }),
      () => post('prepare', '/prepare/unsubscribe_by_id', { from: somebody(), id: someId() }),
      () => post('prepare', '/prepare/remit', { from: somebody() }),
      () =>
        post('MCP', '/mcp', {
          jsonrpc: '2.0',
          id: 1,
          method: 'tools/call',
          params: { name: 'get_subscription', arguments: { id: someId() } },
        }),
      async () => {
        const left = new AbortController()
        const response = await fetch(`${url}/events/stream`, { headers: key, signal: left.signal })
        statuses.set(`stream ${response.status}`, (statuses.get(`stream ${response.status}`) ?? 0) + 1)
        const reader = response.body?.getReader()
        const timer = setTimeout(() => left.abort(), 300 + random.below(700))
        try {
          while (!(await reader?.read())?.done) streamed += 1
        } catch (error) {
          if (!left.signal.aborted) throw error
        } finally {
          clearTimeout(timer)
        }
      },
    ]

    let until = 0
    const load = async () => {
      while (performance.now() < until) await random.pick(work)()
    }
    const mining = async () => {
      for (let block = 1; performance.now() < until; block += 1) {
        if (block % 20 === 0) {
          await life.nextDay()
          // A backlog would make every answer slower from minute to minute.
          await life.remitAll()
        } else await life.mine(3)
        await sleep(100)
      }
    }

    const rests: Held[] = []
    for (let round = 0; round < ROUNDS * 3; round += 1) {
      until = performance.now() + (SECONDS * 1_000) / (ROUNDS * 3)
      await Promise.all([mining(), ...Array.from({ length: 6 }, load)])
      await sleep(REST_MS)
      await garbage.collect()
      rests.push(await heldBy(metricsUrl))
    }

    const told = [...statuses].sort().map(([what, times]) => `${what} × ${times}`)
    process.stderr.write(
      `soak: ${told.join(', ')}; ${streamed} pieces of streams; ${receiver.received.length} webhooks\n` +
        `${rests.map((held) => Object.values(held).join(' ')).join('\n')}\n`,
    )
    // 404 until the index has what was just mined, and 422 for what a wallet cannot do.
    const logged = program.output().slice(-8_000)
    expect(
      told.filter((line) => !/ (20[01]|404|422) /.test(line)),
      logged,
    ).toEqual([])
    expect(new Set([...statuses.keys()].map((line) => line.split(' ')[0]))).toEqual(
      new Set(['key', 'webhook', 'read', 'search', 'history', 'outlook', 'prepare', 'MCP', 'stream']),
    )
    expect(streamed).toBeGreaterThan(0)
    expect(receiver.received.length).toBeGreaterThan(0)

    // The least of several rests: at some of them it was still answering.
    const least = (third: number, of: (held: Held) => number) =>
      Math.min(...rests.slice(third * ROUNDS, (third + 1) * ROUNDS).map(of))
    for (const [growth, of] of [
      [HEAP_GROWTH, ({ heapMb, externalMb }: Held) => heapMb + externalMb],
      [RESIDENT_GROWTH, ({ residentMb }: Held) => residentMb],
    ] as const) {
      expect(least(2, of)).toBeLessThanOrEqual(least(1, of) * (1 + growth) + NOISE_MB)
    }
    for (const of of [({ files }: Held) => files, ({ handles }: Held) => handles]) {
      expect(least(2, of)).toBeLessThanOrEqual(least(1, of) + SPARE_HANDLES)
    }

    expect(program.output()).not.toMatch(/unhandled|uncaught/i)
    garbage.close()
    program.process.kill('SIGTERM')
    expect(await program.ends()).toBe(0)
    await receiver.close()
  },
  trialsTimeoutMs(240_000),
)
