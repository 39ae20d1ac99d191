import { once } from 'node:events'
import { createServer } from 'node:http'
import { afterAll, expect, it } from 'vitest'
import { runInProcess } from './cliRun.ts'

let asked = 0
const server = createServer((_request, response) => {
  asked += 1
  const isFirst = asked === 1
  const facts = { lane: 'free', bucket: 'expensiveRpm', limit: 3, retryAfterSeconds: 1 }
  const limited = { error: 'Too many.', code: 'RATE_LIMITED', requestId: 'r', ...facts }
  const missing = { error: 'There is none.', code: 'NOT_FOUND', requestId: 'r' }
  const headers = { 'content-type': 'application/json', ...(isFirst && { 'retry-after': '1' }) }
  response.writeHead(isFirst ? 429 : 404, headers).end(JSON.stringify(isFirst ? limited : missing))
})
server.listen(0, '127.0.0.1')
await once(server, 'listening')
afterAll(() => {
  server.closeAllConnections()
  server.close()
})

it('says on standard error what it waits for, and how long', async () => {
  const address = server.address()
  const url = typeof address === 'object' && address !== null ? `http://127.0.0.1:${address.port}` : ''
  const { out, err } = await runInProcess(['search', '--url', url])
  expect(out).toBe('')
  expect(err).toMatch(
    /^remit: waiting 1 s for the limit expensiveRpm of the free lane\nremit: There is none\./,
  )
})
