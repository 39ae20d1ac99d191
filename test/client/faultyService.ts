import { createServer } from 'node:http'
import { text } from 'node:stream/consumers'
import { afterAll, afterEach } from 'vitest'
import * as z from 'zod'
import { exchange } from '../support/service/exchange.ts'

export const Answer = z.record(z.string(), z.unknown())
export type Answer = z.output<typeof Answer>

/** What a faulty service makes of an answer: another status and body, or `undefined` for the answer as it was changed in place. */
export type Lie = (path: string, answer: Answer) => { status: number; body: Answer } | undefined

/** A service in front of the real one that changes its answers. */
export interface FaultyService {
  readonly url: string
  /** Until the next call, or the end of the test. */
  tell(lie: Lie): void
}

const honest: Lie = () => undefined

/** Starts one for this test file. */
export async function useFaultyService(serviceUrl: string): Promise<FaultyService> {
  let lie = honest
  const server = createServer(async (request, response) => {
    try {
      const { method = 'GET', url: path = '/' } = request
      const asked = await text(request)
      const real = await exchange(`${serviceUrl}${path}`, {
        method,
        headers: { 'content-type': 'application/json' },
        ...(asked === '' ? {} : { body: asked }),
      })
      const answer = Answer.parse(JSON.parse(real.text))
      const told = lie(path, answer) ?? { status: real.status, body: answer }
      response.writeHead(told.status, { 'content-type': 'application/json' }).end(JSON.stringify(told.body))
    } catch {
      response.destroy()
    }
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('the faulty service has no port')
  afterEach(() => {
    lie = honest
  })
  afterAll(() => {
    server.closeAllConnections()
    return new Promise<void>((resolve) => server.close(() => resolve()))
  })
  return {
    url: `http://127.0.0.1:${address.port}`,
    tell(next) {
      lie = next
    },
  }
}
