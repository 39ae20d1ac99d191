import { Agent, type IncomingMessage, request } from 'node:http'
import { text } from 'node:stream/consumers'

export interface Asked {
  readonly method?: string
  readonly headers?: ConstructorParameters<typeof Headers>[0]
  readonly body?: string
}

export interface Reply {
  readonly status: number
  readonly headers: Headers
  readonly text: string
}

const agent = new Agent({ keepAlive: true })

/**
 * Asks a server of this test and reads the whole answer. `fetch` does the same for six times as much of the processor:
 * it is for tests that are about how a caller's own HTTP behaves.
 */
export async function exchange(url: string, asked: Asked = {}): Promise<Reply> {
  try {
    return await exchangeOnce(url, asked)
  } catch (error) {
    // The server closed a kept connection at that very moment, and has not seen the request.
    if (!(error instanceof StaleConnectionError)) throw error
    return exchangeOnce(url, asked)
  }
}

/**
 * Closes the connections to a server that `exchange` keeps for its next request. A server that ends in order waits a
 * while for a request on each of them.
 */
export function closeKept(url: string): void {
  const { host } = new URL(url)
  for (const [name, sockets = []] of Object.entries(agent.freeSockets)) {
    if (name.startsWith(`${host}:`)) for (const socket of [...sockets]) socket.destroy()
  }
}

class StaleConnectionError extends Error {
  override readonly name = 'StaleConnectionError'
}

function exchangeOnce(url: string, { method = 'GET', headers, body }: Asked): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { method, agent, headers: Object.fromEntries(new Headers(headers)) })
    sent.on('error', (error: NodeJS.ErrnoException) => {
      const isStale = sent.reusedSocket && error.code === 'ECONNRESET'
      reject(isStale ? new StaleConnectionError(error.message, { cause: error }) : error)
    })
    sent.on('response', (response) => read(response).then(resolve, reject))
    sent.end(body)
  })
}

async function read(response: IncomingMessage): Promise<Reply> {
  const whole = await text(response)
  const headers = new Headers()
  for (const [name, values = []] of Object.entries(response.headersDistinct)) {
    for (const value of values) headers.append(name, value)
  }
  return { status: response.statusCode ?? 0, headers, text: whole }
}
