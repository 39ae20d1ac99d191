import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, describe, expect, it } from 'vitest'
import { collectGarbage } from '../../../test/support/runner/collectGarbage.ts'
import { boundedFetch } from './boundedFetch.ts'

/** A node that begins an answer and never ends it. */
const server = createServer((_, response) => void response.writeHead(200).write('{"result":'))
server.listen(0, '127.0.0.1')
await once(server, 'listening')
// Safe: it listens on a port, not on a pipe.
const { port } = server.address() as AddressInfo
const url = `http://127.0.0.1:${port}`
afterAll(() => {
  server.closeAllConnections()
  server.close()
})

describe('an answer that never ends', () => {
  it('is given up when its time is up, whatever arrived meanwhile', async () => {
    collectGarbage()
    await expect(boundedFetch({ url, headers: {} }, '{}', 300)).rejects.toMatchObject({
      name: 'TimeoutError',
    })
  })
})
