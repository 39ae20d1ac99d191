import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { Agent, get, type IncomingMessage } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { afterAll, afterEach, describe, expect, it } from 'vitest'
import * as z from 'zod'
import { useTestChain } from './support/chain/useTestChain.ts'
import { useCountingProxy } from './support/nodes/countingProxy.ts'
import { type Program, runBundled } from './support/programs/program.ts'
import { useBundle } from './support/programs/useBundle.ts'
import { freePort } from './support/service/freePort.ts'

const chain = await useTestChain()
const node = await useCountingProxy(chain.url)
const folder = mkdtempSync(join(tmpdir(), 'remit-shutdown-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
const agents: Agent[] = []
afterEach(() => {
  for (const agent of agents.splice(0)) agent.destroy()
})

/** The real program, ready, over a node that the test can slow down. */
async function serve(environment: Record<string, string> = {}, script = 'packages/service/src/main.ts') {
  const metricsPort = await freePort()
  const program = runBundled(await useBundle(script), [], {
    PORT: '0',
    DEVNET_PORT: '0',
    LOG_LEVEL: 'info',
    METRICS_PORT: String(metricsPort),
    HOST: '127.0.0.1',
    DATABASE_URL: `file:${join(folder, randomUUID())}.db`,
    DEFAULT_REST_CHAIN_ID: '31337',
    RPC_URL_31337: node.url,
    CONTRACT_ADDRESS_31337: chain.contract,
    ...environment,
  })
  const [, url = ''] = await program.says(/Remit is ready: REST (\S+), MCP/)
  while ((await fetch(`${url}/ready`)).status !== 200) await sleep(20)
  return { program, url, port: Number(new URL(url).port), metrics: `http://127.0.0.1:${metricsPort}/metrics` }
}

/** Asks by a connection of its own, which stays open after the answer where the server lets it. */
function ask(url: string): Promise<IncomingMessage> {
  const agent = new Agent({ keepAlive: true })
  agents.push(agent)
  return new Promise((resolve, reject) => get(url, { agent }, resolve).on('error', reject))
}

/**
 * A client with one connection, which asks again as soon as it is answered, until nobody listens any more.
 *
 * A request is lost where it neither has a whole answer nor was refused before a byte of it was sent.
 */
function hammer(url: string) {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  agents.push(agent)
  const lost: string[] = []
  let answers = 0
  let toldToLeave = false
  let afterClose = 0
  const statuses = new Set<number | undefined>()
  const once = () =>
    new Promise<boolean>((resolve) => {
      const request = get(url, { agent }, (response) => {
        response.on('error', (error) => resolve(note(error)))
        response.resume().on('end', () => {
          answers += 1
          statuses.add(response.statusCode)
          if (toldToLeave && request.reusedSocket) afterClose += 1
          toldToLeave ||= response.headers.connection === 'close'
          resolve(true)
        })
      }).on('error', (error) => resolve(note(error)))
    })
  const note = (error: Error & { code?: string }): boolean => {
    if (error.code !== 'ECONNREFUSED') lost.push(`${error.code}: ${error.message} after ${answers} answers`)
    return false
  }
  const ended = (async () => {
    // The metrics port listens to the end: whoever came again and again would meet the very moment in which it closes.
    while ((await once()) && !(toldToLeave && url.endsWith('/metrics')));
    return { lost, toldToLeave, afterClose, statuses, path: new URL(url).pathname }
  })()
  return { answers: () => answers, ended }
}

/** Waits until the node has been asked by a request that is now in flight. */
async function untilAsked(program: Program): Promise<void> {
  while (!node.methods.includes('eth_call')) {
    expect(program.process.exitCode).toBeNull()
    await sleep(10)
  }
}

const PATIENT = { timeout: 10_000 }

describe('a program that is told to end', () => {
  it.each(['packages/service/src/main.ts', 'packages/devchain/src/main.ts'] as const)(
    'loses no request of 16 clients that keep their connections busy (%s)',
    async (script) => {
      const { program, url, metrics } = await serve({ LIMIT_FREE_GLOBAL_RPM: '1000000' }, script)
      const paths = [`${url}/status`, `${url}/protocol/state`, `${url}/ready`, metrics]
      const clients = Array.from({ length: 16 }, (_, client) => hammer(paths[client % 4] ?? url))
      await expect
        .poll(() => Math.min(...clients.map(({ answers }) => answers())), PATIENT)
        .toBeGreaterThan(5)
      program.process.kill('SIGTERM')
      const seen = await Promise.all(clients.map(({ ended }) => ended))
      expect(await program.ends()).toBe(0)
      expect(seen.flatMap(({ lost }) => lost)).toEqual([])
      expect(seen.filter(({ afterClose }) => afterClose > 0)).toEqual([])
      expect(new Set(seen.flatMap(({ statuses }) => [...statuses]))).toEqual(new Set([200, 503]))
      expect(seen.filter(({ path, statuses }) => path !== '/ready' && statuses.has(503))).toEqual([])
      // Whoever is told to leave has the whole answer first.
      expect(seen.filter(({ toldToLeave }) => toldToLeave)).toHaveLength(16)
    },
    40_000,
  )

  it('ends what listens to events at once', async () => {
    const secret = 'correct-horse-battery-staple'
    const { program, url } = await serve({
      DEVELOPER_KEYS_ADMIN_SECRET: secret,
      SHUTDOWN_TIMEOUT_MS: '10000',
    })
    const made = await fetch(`${url}/developer/keys`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${secret}` },
      body: JSON.stringify({ subjectId: 'an agent' }),
    })
    const { token } = z.object({ token: z.string() }).parse(await made.json())
    const requestInit = { headers: { Authorization: `Bearer ${token}` } }
    await expect.poll(async () => (await fetch(`${url}/events`, requestInit)).status, PATIENT).toBe(200)
    const versionNegotiation = { mode: { pin: '2026-07-28' } }
    const client = new Client({ name: 'test', version: '1' }, { versionNegotiation })
    await client.connect(new StreamableHTTPClientTransport(new URL(`${url}/mcp`), { requestInit }))
    const listening = await client.listen({ resourceSubscriptions: ['remit://events'] })
    const stream = await fetch(`${url}/events/stream`, requestInit)
    program.process.kill('SIGTERM')
    expect(await listening.closed).toBe('graceful')
    expect(await stream.text()).toContain('"reason":"shutdown"')
    await client.close()
    expect(await program.ends()).toBe(0)
    expect(program.output()).not.toContain('cut off')
  }, 40_000)

  it('cuts off at the deadline what takes longer, says so, and ends in order', async () => {
    const { program, url } = await serve({ SHUTDOWN_TIMEOUT_MS: '600' })
    node.reset()
    node.fail({ hang: true })
    const answer = ask(`${url}/accounts/${chain.wallets.alice}`)
    const failed = expect(answer).rejects.toThrow()
    await untilAsked(program)
    const begun = performance.now()
    program.process.kill('SIGTERM')
    await failed
    expect(performance.now() - begun).toBeGreaterThan(500)
    expect(await program.ends()).toBe(0)
    expect(performance.now() - begun).toBeLessThan(3_000)
    expect(program.output()).toMatch(/"level":40,.*"cutOff":1,"msg":"Requests were cut off by the shutdown"/)
  })

  it('ends at once on a second signal', async () => {
    const { program, url } = await serve({ SHUTDOWN_TIMEOUT_MS: '60000' })
    node.reset()
    node.fail({ hang: true })
    const failed = expect(ask(`${url}/accounts/${chain.wallets.alice}`)).rejects.toThrow()
    await untilAsked(program)
    program.process.kill('SIGTERM')
    await sleep(200)
    // To a group of processes it comes again, from the parent that passes it on.
    program.process.kill('SIGTERM')
    await sleep(600)
    expect(program.process.exitCode).toBeNull()
    program.process.kill('SIGTERM')
    expect(await program.ends()).toBe(130)
    await failed
  })
})
