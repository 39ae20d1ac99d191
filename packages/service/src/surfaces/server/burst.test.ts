import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { smallApp } from '@remit/testing/support/app/smallApp'
import { runBundled } from '@remit/testing/support/programs/program'
import { useBundle } from '@remit/testing/support/programs/useBundle'
import { afterAll, afterEach, expect, it } from 'vitest'
import { type RunningServer, startServer } from './server.ts'

const running: RunningServer[] = []
afterEach(() => Promise.all(running.splice(0).map((server) => server.close(0))))

const CONNECTIONS = 1_000
const folder = mkdtempSync(join(tmpdir(), 'remit-burst-'))
const allAsked = join(folder, 'asked')
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** Keeps the whole process busy, as a machine is that is too slow for what comes. */
function keepBusy(forMs: number, isOver = () => false): void {
  const until = performance.now() + forMs
  while (performance.now() < until && !isOver());
}

it('in a burst, a request that has arrived is answered, however long it waits to be read', async () => {
  const { app } = smallApp()
  const program = await useBundle('test/support/app/burst.ts')
  let asked = 0
  const server = await startServer({
    fetch: (request, peer) => {
      asked += 1
      // All of the burst lies in the server's sockets before its second request is read.
      if (asked === 1) keepBusy(30_000, () => existsSync(allAsked))
      else keepBusy(1)
      return app.fetch(request, peer)
    },
    refuse: app.refuse,
    host: '127.0.0.1',
    port: 0,
    // All of them together take several times as long.
    limits: { headersTimeoutMs: 300, requestTimeoutMs: 300 },
  })
  running.push(server)
  const burst = runBundled(program, [String(server.port), String(CONNECTIONS), allAsked])
  const [, seen = ''] = await burst.says(/seen (\{.*\})/, 60_000)
  expect(JSON.parse(seen)).toEqual({ 200: CONNECTIONS })
}, 90_000)
