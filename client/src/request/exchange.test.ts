import { expect, it } from 'vitest'
import { collectGarbage } from '../../../test/support/runner/collectGarbage.ts'
import { serve } from '../../../test/support/service/serve.ts'
import { TimeoutError } from '../errors/transport.ts'
import { exchange } from './exchange.ts'

/** Answers nothing, or begins an answer and never ends it. */
const url = await serve((request, response) => {
  if (request.url === '/begun') response.writeHead(200).write('{')
})

it.each(['/silent', '/begun'])(
  'a request to %s is given up when its time is up, whatever Node collects',
  async (path) => {
    collectGarbage()
    const asked = { method: 'POST', headers: {}, body: '{}' }
    const within = { timeoutMs: 300, signal: new AbortController().signal }
    await expect(exchange(fetch, `${url}${path}`, asked, within)).rejects.toBeInstanceOf(TimeoutError)
  },
)
