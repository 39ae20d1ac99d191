import { EventEmitter, once } from 'node:events'
import { getReady } from '@remit/service/testing/operations/service'
import type { SharedErrorExample } from '@remit/service/testing/surfaces/openapi/examples'
import { startServer } from '@remit/service/testing/surfaces/server/server'
import * as z from 'zod'
import { smallApp } from '../support/app/smallApp.ts'
import type { Answered } from './exampleService.ts'
import { rawExchange } from './rawExchange.ts'

/** What an example of an error is called, and how it came about. */
export type NamedError = Pick<SharedErrorExample, 'name' | 'summary' | 'audience'> & {
  readonly answered: Answered
}

const JsonObject = z.record(z.string(), z.json())

/**
 * Errors of the HTTP surface itself, over a handful of test operations: nobody can ask the service for a broken
 * promise of its own, nor be sure to meet the instant in which it ends, or is full.
 */
export async function recordSurfaceErrors(): Promise<NamedError[]> {
  const answered = async (response: Response): Promise<Answered> => ({
    status: response.status,
    headers: response.headers,
    body: JsonObject.parse(await response.json()),
  })
  // The small operations break a promise for an id that ends so.
  const broken = `/things/0x${'8'.repeat(64)}`
  const draining = smallApp({ draining: true, operations: [getReady] })
  return [
    {
      name: 'INTERNAL_ERROR',
      summary: 'The service broke a promise of its own',
      answered: await answered(await smallApp().call(broken)),
    },
    {
      name: 'SHUTTING_DOWN',
      summary: 'This process ends; another one will answer',
      answered: await answered(await draining.call('/ready')),
    },
    {
      name: 'TOO_MANY_CONNECTIONS',
      summary: 'Every connection is being worked for',
      answered: await refusedConnection(),
    },
    {
      name: 'REQUEST_TIMEOUT',
      summary: 'A request that did not come to its end',
      answered: await halfARequest(),
    },
  ]
}

/** What a connection is told while the only one that there is room for is being worked for. */
async function refusedConnection(): Promise<Answered> {
  const { app } = smallApp()
  const release = new AbortController()
  const begun = new EventEmitter()
  const server = await startServer({
    async fetch(request, peer) {
      begun.emit('request')
      await once(release.signal, 'abort')
      return app.fetch(request, peer)
    },
    refuse: app.refuse,
    host: '127.0.0.1',
    port: 0,
    limits: { maxConnections: 1 },
  })
  const isBegun = once(begun, 'request')
  const first = fetch(server.url)
  await isBegun
  const refused = await rawExchange(server.port, 'GET / HTTP/1.1\r\nHost: localhost\r\n\r\n')
  release.abort()
  await first
  await server.close(1_000)
  return refused
}

async function halfARequest(): Promise<Answered> {
  const { app } = smallApp()
  const limits = { headersTimeoutMs: 200 }
  const server = await startServer({
    fetch: app.fetch,
    refuse: app.refuse,
    host: '127.0.0.1',
    port: 0,
    limits,
  })
  const late = await rawExchange(server.port, 'GET / HTTP/1.1\r\nHost: loc')
  await server.close(1_000)
  return late
}
