import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as z from 'zod'
import { loadConfig } from '../../src/configuration/loadConfig.ts'
import type { Operation } from '../../src/core/operation.ts'
import { startService } from '../../src/service.ts'
import { type ExampleChain, exampleWall } from './exampleChain.ts'
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
  fetch(path: string, init?: RequestInit): Promise<Answered>
  /** Calls an operation as its own callers do: from an address of its own, or with these headers. */
  call(operation: Operation, input: Input, headers?: Record<string, string>): Promise<Exchange>
  close(): Promise<void>
}

/**
 * The service as operators start it, with the limits that it has where nothing is said, over the example chain.
 *
 * Every request comes from an address that has asked nothing before: so none meets a limit, and all tell the same
 * of what is left.
 */
export async function startExampleService(
  { url, chainId, contract, tokens, firstBlock }: ExampleChain,
  environment: Record<string, string> = {},
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
    DATABASE_URL: `file:${databasePath}`,
    SHUTDOWN_TIMEOUT_MS: '100',
    ...environment,
  })
  const silent = { info() {}, warn() {}, error() {} }
  const service = await startService(config, silent, { wallNow: exampleWall })
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

  return {
    url: service.url,
    port: service.port,
    databasePath,
    fetch: ask,
    async call(operation, input, headers = {}) {
      const { method = 'GET', path = '' } = operation.rest ?? {}
      const request = partsOf(operation, input)
      const answered = await ask(addressOf(path, request), {
        method,
        headers: {
          ...(request.body && { 'Content-Type': 'application/json' }),
          ...(operation.audience === 'operators' && { 'X-Service-Admin-Key': ADMIN_SECRET }),
          ...headers,
        },
        ...(request.body && { body: JSON.stringify(request.body) }),
      })
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
