import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { findDevService } from './findDevService.ts'

const home = mkdtempSync(join(tmpdir(), 'remit-found-'))
const before = process.env.XDG_CACHE_HOME
const servers: Server[] = []
const urls: string[] = []

beforeAll(async () => {
  process.env.XDG_CACHE_HOME = home
  const written = join(home, 'remit', 'npm-start')
  mkdirSync(written, { recursive: true })
  // Two processes that run: this one, which has begun first, and the one that has started it.
  for (const [place, pid] of [process.pid, process.ppid].entries()) {
    const server = createServer((_, response) => response.setHeader('X-Request-Id', 'a').end())
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    servers.push(server)
    // Safe: it listens on a port.
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    urls.push(url)
    const entry = { url, mcpUrl: `${url}/mcp`, rpcUrl: url, chainId: 31337, pid, startedAt: place }
    const folder = ['/srv/first', '/srv/first-too'][place]
    writeFileSync(join(written, `${pid}.json`), JSON.stringify({ ...entry, folder }))
  }
})
afterAll(async () => {
  if (before === undefined) delete process.env.XDG_CACHE_HOME
  else process.env.XDG_CACHE_HOME = before
  for (const server of servers) await new Promise((resolve) => server.close(resolve))
  rmSync(home, { recursive: true, force: true })
})

it.each([
  ['the one of this folder, however old it is', '/srv/first', 0],
  ['the one of the folder that this one is in', '/srv/first/examples/node', 0],
  ['the newest where none is of this folder', '/srv', 1],
])('finds %s', async (_which, from, place) => {
  expect((await findDevService({}, from))?.url).toBe(urls[place])
})

it('finds the one at an address that is named, wherever that was started', async () => {
  expect((await findDevService({ url: urls[1] }, '/srv/first'))?.url).toBe(urls[1])
})
