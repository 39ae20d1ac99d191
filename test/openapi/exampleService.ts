import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { loadConfig } from '@remit/service/configuration/loadConfig'
import { type Surroundings, startService } from '@remit/service/processes/service'
import type { Operation } from '@remit/service/testing/calls/serviceOperation'
import Database from 'libsql'
import * as z from 'zod'
import { json } from '../support/app/smallApp.ts'
import { forecastHere, OF_EACH_BLOCK } from '../support/chain/forecastHere.ts'
import { type ExampleChain, exampleWall } from './exampleChain.ts'
import { sessionOf, signInOf } from './exampleSession.ts'
import type { Input } from './sampleInput.ts'

export const ADMIN_SECRET = 'correct-horse-battery-staple'

/** Where examples say that the service is. */
export const PUBLIC_URL = 'https://api.remit.example'

const JsonObject = z.record(z.string(), z.json())

type JsonObject = z.output<typeof JsonObject>

export interface Answered {
  readonly status: number
  readonly headers: Headers
  readonly body: JsonObject
}

/** A request by where its parts travel, and what was answered. */
export interface Exchange extends Answered {
  readonly request: { readonly path: JsonObject; readonly query: JsonObject; readonly body?: JsonObject }
}

export interface ExampleService {
  readonly url: string
  readonly port: number
  readonly databasePath: string
  /** What a wallet signs in to. */
  readonly site: { readonly origin: string; readonly chainId: number }
  fetch(path: string, init?: RequestInit): Promise<Answered>
  /** Calls an operation as its own callers do: from an address of its own, or with these headers. */
  call(operation: Operation, input: Input, headers?: Record<string, string>): Promise<Exchange>
  close(): Promise<void>
}

const MadeKey = z.object({ id: z.string(), token: z.string() })

/**
 * The service as operators start it, with the limits that it has where nothing is said, over the example chain.
 *
 * Every request comes from an address that has asked nothing before, and with a key that is as new where it takes one:
 * so none meets a limit, and all tell the same of what is left.
 */
export async function startExampleService(
  { url, chainId, contract, tokens, firstBlock, wallets }: ExampleChain,
  environment: Record<string, string> = {},
  surroundings: Surroundings = {},
): Promise<ExampleService> {
  const folder = mkdtempSync(join(tmpdir(), 'remit-examples-'))
  const databasePath = join(folder, 'remit.db')
  const config = loadConfig({
    HOST: '127.0.0.1',
    PORT: '0',
    PUBLIC_URL,
    DEFAULT_REST_CHAIN_ID: `${chainId}`,
    [`RPC_URL_${chainId}`]: url,
    [`CONTRACT_ADDRESS_${chainId}`]: contract,
    [`START_BLOCK_${chainId}`]: `${firstBlock}`,
    [`CHAIN_NAME_${chainId}`]: 'Dev chain',
    [`TOKENS_${chainId}`]: Object.values(tokens).join(','),
    TRUSTED_PROXIES: '127.0.0.1',
    DEVELOPER_PORTAL_URL: 'https://remit.example/developers',
    DEVELOPER_KEYS_ADMIN_SECRET: ADMIN_SECRET,
    PORTAL: 'open',
    PASSES: 'on',
    RESCUES: 'on',
    SECRETS_KEY: '5e'.repeat(32),
    DATABASE_URL: `file:${databasePath}`,
    SHUTDOWN_TIMEOUT_MS: '100',
    // When a sweep comes would decide what examples say.
    SWEEP_REQUESTS_PER_HOUR: '0',
    ...environment,
  })
  const silent = { info() {}, warn() {}, error() {} }
  const service = await startService(config, silent, {
    wallNow: exampleWall,
    forecaster: forecastHere,
    forecastTimes: OF_EACH_BLOCK,
    ...surroundings,
  })
  let callers = 0

  async function ask(path: string, init: RequestInit = {}): Promise<Answered> {
    callers += 1
    const headers = new Headers(init.headers)
    // A client with IPv6 is known by its first 64 bits.
    if (!headers.has('X-Forwarded-For'))
      headers.set('X-Forwarded-For', `2001:db8:0:${callers.toString(16)}::1`)
    const response = await fetch(`${service.url}${path}`, { ...init, headers })
    return {
      status: response.status,
      headers: response.headers,
      body: JsonObject.parse(await response.json()),
    }
  }

  const site = { origin: PUBLIC_URL, chainId }

  /** As a page does of the service, where somebody has signed in. */
  async function visiting(operation: Operation, input: Input) {
    const signIn = operation.name === 'sign_in' ? await signInOf(ask, site) : {}
    return { input: { ...input, ...signIn }, headers: await sessionOf(ask, site, wallets.ben) }
  }

  const admin = { 'X-Service-Admin-Key': ADMIN_SECRET }

  /**
   * Works with a new key of the one developer who has webhooks. It goes from the store then, because a developer may have only a
   * few, and because the next one would count with a key that was revoked.
   */
  async function asDeveloper(
    work: (headers: Record<string, string>) => Promise<Answered>,
  ): Promise<Answered> {
    const { body } = await ask('/developer/keys', json({ subjectId: 'coffee-house' }, admin))
    const { id, token } = MadeKey.parse(body)
    try {
      return await work({ Authorization: `Bearer ${token}` })
    } finally {
      await ask(`/developer/keys/${id}`, { method: 'DELETE', headers: admin })
      const store = new Database(databasePath)
      store.prepare('DELETE FROM api_keys WHERE id = ?').run(id)
      store.close()
    }
  }

  return {
    url: service.url,
    port: service.port,
    databasePath,
    site,
    fetch: ask,
    async call(operation, input, headers = {}) {
      const { method = 'GET', path = '' } = operation.rest ?? {}
      // Whoever hands in a permit needs no session: a session would meet its limits here.
      const isSigned = operation.audience === 'wallets' && method !== 'POST'
      const own =
        isSigned || operation.audience === 'visitors' || operation.audience === 'newcomers'
          ? await visiting(operation, input)
          : { input, headers: {} }
      const request = partsOf(operation, own.input)
      const send = (credentials: Record<string, string>) =>
        ask(addressOf(path, request), {
          method,
          headers: {
            ...(request.body && { 'Content-Type': 'application/json' }),
            ...(operation.audience === 'operators' && admin),
            ...own.headers,
            ...credentials,
            ...headers,
          },
          ...(request.body && { body: JSON.stringify(request.body) }),
        })
      const answered = await (operation.audience === 'developers' ? asDeveloper(send) : send({}))
      return { request, ...answered }
    },
    async close() {
      await service.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

function partsOf({ rest }: Operation, input: Input): Exchange['request'] {
  const inPath = new Set([...(rest?.path ?? '').matchAll(/:(\w+)/g)].map(([, name]) => name))
  const part = (isIn: boolean) =>
    JsonObject.parse(Object.fromEntries(Object.entries(input).filter(([name]) => inPath.has(name) === isIn)))
  if (rest?.method === 'POST') return { path: part(true), query: {}, body: part(false) }
  return { path: part(true), query: part(false) }
}

function addressOf(path: string, request: Exchange['request']): string {
  const filled = path.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(String(request.path[name])))
  const query = new URLSearchParams(
    Object.entries(request.query).map(([name, value]): [string, string] => [name, String(value)]),
  )
  return query.size === 0 ? filled : `${filled}?${query}`
}
