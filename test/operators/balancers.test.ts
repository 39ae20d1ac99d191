import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { type RunningServer, startServer } from '@remit/service/testing/surfaces/server/server'
import { afterAll, afterEach, describe, expect, it } from 'vitest'
import * as z from 'zod'
import { findProgram } from '../support/programs/installed.ts'
import { killPrograms, type Program, runCommand } from '../support/programs/program.ts'
import { freePort } from '../support/service/freePort.ts'

const deploy = fileURLToPath(new URL('../../deploy/', import.meta.url))
const folder = mkdtempSync(join(tmpdir(), 'remit-balancers-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
const running: RunningServer[] = []
afterEach(async () => {
  killPrograms()
  await Promise.all(running.splice(0).map((server) => server.close(0)))
})

const NGINX = findProgram('nginx', ['/usr/sbin'])
const HAPROXY = findProgram('haproxy', ['/usr/sbin'])

const Told = z.object({ replica: z.number(), forwarded: z.string().nullable(), host: z.string().nullable() })

/** The service's own HTTP server, which tells what has reached it. */
async function startReplica(replica: number) {
  const state = { isReady: true, asked: 0 }
  const server = await startServer({
    async fetch(request) {
      const { pathname } = new URL(request.url)
      if (pathname === '/ready') return new Response(null, { status: state.isReady ? 200 : 503 })
      state.asked += 1
      if (pathname === '/events/stream') return streaming()
      const { headers } = request
      return Response.json({ replica, forwarded: headers.get('x-forwarded-for'), host: headers.get('host') })
    },
    refuse: () => new Response(null, { status: 400 }),
    host: '127.0.0.1',
    port: 0,
  })
  running.push(server)
  return { server, state }
}

/** A stream that says one thing and then nothing. */
function streaming(): Response {
  const body = new ReadableStream({
    start: (controller) => controller.enqueue(new TextEncoder().encode('id: 1\n\n')),
  })
  return new Response(body, {
    headers: { 'Content-Type': 'text/event-stream', 'X-Accel-Buffering': 'no' },
  })
}

/** Two replicas behind the file that operators copy, with the addresses replaced. */
async function balance(file: string, start: (path: string) => Program) {
  const replicas = [await startReplica(0), await startReplica(1)] as const
  const port = await freePort()
  const [one, two] = replicas
  const text = readFileSync(join(deploy, file), 'utf8')
    .replaceAll('127.0.0.1:8080', `127.0.0.1:${port}`)
    .replaceAll('127.0.0.1:3000', `127.0.0.1:${one.server.port}`)
    .replaceAll('127.0.0.1:3001', `127.0.0.1:${two.server.port}`)
  const path = join(folder, `${port} ${file}`)
  writeFileSync(path, text)
  const program = start(path)
  const url = `http://127.0.0.1:${port}`
  const answers = () =>
    fetch(url).then(
      ({ status }) => (status === 200 ? '' : String(status)),
      () => program.output() || 'nobody listens',
    )
  await expect.poll(answers, { timeout: 10_000 }).toBe('')
  return { url, replicas }
}

const BALANCERS = [
  [
    'nginx.conf',
    NGINX,
    (path: string) => [NGINX ?? '', '-e', 'stderr', '-c', path, '-g', `daemon off; pid '${path}.pid';`],
  ],
  ['haproxy.cfg', HAPROXY, (path: string) => [HAPROXY ?? '', '-db', '-f', path]],
] as const

for (const [file, program, commandOf] of BALANCERS) {
  describe.skipIf(program === undefined)(`deploy/${file}`, () => {
    const start = () =>
      balance(file, (path) => runCommand(file, commandOf(path), { env: { PATH: process.env.PATH } }))
    const told = async (url: string, headers: Record<string, string> = {}) =>
      Told.parse(await (await fetch(url, { headers })).json())

    it('shares requests among the replicas, and tells them who calls, whatever the caller says', async () => {
      const { url } = await start()
      const seen = []
      for (let asked = 0; asked < 10; asked += 1)
        seen.push(await told(url, { 'X-Forwarded-For': '203.0.113.7' }))
      expect(new Set(seen.map(({ replica }) => replica)).size).toBe(2)
      expect(new Set(seen.map(({ forwarded }) => forwarded))).toEqual(new Set(['127.0.0.1']))
      expect(seen[0]?.host).toBe(new URL(url).host)
    })

    it('refuses a body over 64 KiB before a replica has it', async () => {
      const { url, replicas } = await start()
      const asked = () => replicas.reduce((sum, { state }) => sum + state.asked, 0)
      const before = asked()
      const body = 'x'.repeat(65_537)
      const { status } = await fetch(url, { method: 'POST', body })
      expect([status, asked()]).toEqual([413, before])
      expect((await fetch(url, { method: 'POST', body: body.slice(1) })).status).toBe(200)
    })

    it('passes a stream of events on as it comes', async () => {
      const { url } = await start()
      const ended = new AbortController()
      const { body } = await fetch(`${url}/events/stream`, { signal: ended.signal })
      const read = await body?.getReader().read()
      expect(new TextDecoder().decode(read?.value)).toBe('id: 1\n\n')
      ended.abort()
    })

    it('loses no read while a replica stops', async () => {
      const { url, replicas } = await start()
      let stopped = false
      const stopping = sleep(300).then(() => replicas[0].server.close(5_000))
      void stopping.then(() => {
        stopped = true
      })
      let after = 0
      while (after < 100) {
        const { status } = await fetch(url)
        expect(status).toBe(200)
        if (stopped) after += 1
      }
      await stopping
    })
  })
}

describe.skipIf(HAPROXY === undefined)('deploy/haproxy.cfg', () => {
  it('sends nothing to a replica that is not ready', async () => {
    const { url, replicas } = await balance('haproxy.cfg', (path) =>
      runCommand('haproxy', [HAPROXY ?? '', '-db', '-f', path], { env: { PATH: process.env.PATH } }),
    )
    replicas[0].state.isReady = false
    const oneOfMany = async () => {
      const before = replicas[0].state.asked
      for (let asked = 0; asked < 10; asked += 1) await fetch(url)
      return replicas[0].state.asked - before
    }
    await expect.poll(oneOfMany, { timeout: 15_000 }).toBe(0)
    replicas[0].state.isReady = true
    await expect.poll(oneOfMany, { timeout: 15_000 }).toBeGreaterThan(0)
  })
})
