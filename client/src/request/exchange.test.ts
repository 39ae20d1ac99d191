import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, expect, it } from 'vitest'
import { collectGarbage } from '../../../test/support/runner/collectGarbage.ts'
import { exchange } from './exchange.ts'

/** Answers nothing, or begins an answer and never ends it. */
const server = createServer(({ url }, response) => {
  if (url === '/begun') response.writeHead(200).write('{')
})
server.listen(0, '127.0.0.1')
await once(server, 'listening')
// Safe: it listens on a port, not on a pipe.
const { port } = server.address() as AddressInfo
afterAll(() => {
  server.closeAllConnections()
  server.close()
})

it.each(['/silent', '/begun'])(
  'a request to %s is given up when its time is up, whatever Node collects',
  async (path) => {
    collectGarbage()
    const asked = { method: 'POST', headers: {}, body: '{}' }
    const within = { timeoutMs: 300, signal: new AbortController().signal }
    await expect(exchange(fetch, `http://127.0.0.1:${port}${path}`, asked, within)).rejects.toThrow(
      `http://127.0.0.1:${port}`,
    )
  },
)
