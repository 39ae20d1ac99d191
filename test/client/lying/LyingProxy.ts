import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll } from 'vitest'
import type { Lie, Told } from './Lie.ts'
import { readBatch } from './Wire.ts'

/** A proxy before an honest service, which tells one lie at a time. */
export interface LyingProxy {
  readonly url: string
  /** Tells the truth from now on, or this lie; forgets what it said of it so far. */
  begin(lie: Lie | undefined): void
  /** Why the lie could not be told of what was asked; `undefined` where it was told. Throws what failed here. */
  untold(): string | undefined
}

/**
 * Starts a proxy for the rest of the file. What the service answers is asked once and kept: the chain must stand still
 * while there are lies.
 */
export async function useLyingProxy(serviceUrl: string): Promise<LyingProxy> {
  const kept = new Map<string, Promise<Told>>()
  let lie: Lie | undefined
  let reason: string | undefined
  let fault: unknown

  async function ask(method: string, path: string, body: string): Promise<Told> {
    const init = method === 'POST' ? { method, body, headers: { 'Content-Type': 'application/json' } } : {}
    const response = await fetch(`${serviceUrl}${path}`, init)
    const headers = { 'content-type': response.headers.get('content-type') ?? '' }
    return { status: response.status, headers, body: await response.text() }
  }

  function honest(method: string, path: string, body: string): Promise<Told> {
    const key = `${method} ${path} ${body}`
    const known = kept.get(key) ?? ask(method, path, body)
    kept.set(key, known)
    return known
  }

  async function answer(method: string, path: string, body: string): Promise<Told> {
    const truth = await honest(method, path, body)
    const said = lie?.name
    if (lie === undefined || !path.startsWith('/prepare/') || truth.status !== 200) return truth
    const other = async (change: object) => {
      const asked = JSON.stringify({ ...JSON.parse(body), ...change })
      const { status, body: text } = await honest(method, path, asked)
      return status === 200 ? readBatch(String(text)) : undefined
    }
    const told = await lie.tell({
      path,
      text: String(truth.body),
      batch: readBatch(String(truth.body)),
      other,
    })
    if (typeof told === 'string') {
      reason = told
      return truth
    }
    const lied = { status: 200, headers: { 'content-type': 'application/json' }, ...told }
    const isSame = lied.body === truth.body && JSON.stringify(lied.headers) === JSON.stringify(truth.headers)
    if (isSame) throw new Error(`The lie "${said}" changes nothing`)
    return lied
  }

  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const body = Buffer.concat(chunks).toString()
      answer(request.method ?? 'GET', request.url ?? '/', body).then(
        ({ status = 200, headers = {}, body: told }) => response.writeHead(status, headers).end(told),
        (error: unknown) => {
          fault = error
          response.writeHead(500).end()
        },
      )
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  afterAll(() => {
    server.closeAllConnections()
    server.close()
  })
  // Safe: it listens on a port and not on a pipe.
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    begin(next) {
      lie = next
      reason = undefined
    },
    untold() {
      if (fault !== undefined) throw fault
      return reason
    },
  }
}
