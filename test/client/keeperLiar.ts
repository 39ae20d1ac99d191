import { createServer } from 'node:http'
import { text } from 'node:stream/consumers'
import { afterAll, afterEach } from 'vitest'
import * as z from 'zod'

export const Answer = z.record(z.string(), z.unknown())
export type Answer = z.output<typeof Answer>

/** What a liar makes of an answer. It may change it in place; a status goes with another body. */
export type Lie = (path: string, answer: Answer) => { status: number; body: Answer } | undefined

/** A service that answers what the real one does, with a lie in it. */
export interface Liar {
  readonly url: string
  /** Until the next call, or the end of the test. */
  tell(lie: Lie): void
}

const honest: Lie = () => undefined

/** A liar of this test file's own in front of a service. */
export async function useLiar(serviceUrl: string): Promise<Liar> {
  let lie = honest
  const server = createServer(async (request, response) => {
    try {
      const { method = 'GET', url: path = '/' } = request
      const asked = await text(request)
      const real = await fetch(`${serviceUrl}${path}`, {
        method,
        headers: { 'content-type': 'application/json' },
        ...(asked === '' ? {} : { body: asked }),
      })
      const answer = Answer.parse(await real.json())
      const told = lie(path, answer) ?? { status: real.status, body: answer }
      response.writeHead(told.status, { 'content-type': 'application/json' }).end(JSON.stringify(told.body))
    } catch {
      response.destroy()
    }
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('the liar has no port')
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
