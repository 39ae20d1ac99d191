import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Log } from '@remit/engine/ports/log'
import { loadConfig, multipliedLimits } from '@remit/service/configuration/loadConfig'
import { type Surroundings, startService } from '@remit/service/processes/service'
import type { Address } from 'viem'
import { afterAll } from 'vitest'
import * as z from 'zod'
import { forecastHere, OF_EACH_BLOCK } from '../chain/forecastHere.ts'
import type { TestChain } from '../chain/useTestChain.ts'
import { type Asked, closeKept, exchange } from './exchange.ts'
import { WALL_OF_TEST_CHAINS } from './wallOfTestChains.ts'

export interface TestAnswer {
  readonly status: number
  readonly headers: Headers
  /** The parsed body. */
  readonly body: Record<string, unknown>
}

export interface TestService {
  readonly url: string
  /** What the service logged, as lines. */
  readonly logged: readonly string[]
  get(path: string, init?: Asked): Promise<TestAnswer>
  post(path: string, body: unknown, init?: Asked): Promise<TestAnswer>
  /** Waits until the service has seen the chain's latest block. */
  caughtUp(): Promise<void>
  close(): Promise<void>
}

/** The part of a test chain that a service needs to know. */
export interface ServedChain extends Pick<TestChain, 'url' | 'chainId' | 'contract' | 'client'> {
  readonly tokens: Readonly<Record<string, Address>>
}

const Body = z.record(z.string(), z.unknown())

/** What opens key management, unless the environment says otherwise. */
export const ADMIN_SECRET = 'correct-horse-battery-staple'

const FORECAST_HERE = { forecaster: forecastHere, forecastTimes: OF_EACH_BLOCK }

/** Each test puts its chain back and acts on it: the service shall see that without a wait. */
const FOLLOWED_CLOSELY = { pollMs: 150, rollbackAfterMs: 0 }

/** The whole service over test chains, as `startTestService` has it, until the file ends. */
export async function useTestService(...options: Parameters<typeof startTestService>): Promise<TestService> {
  const service = await startTestService(...options)
  afterAll(() => service.close())
  return service
}

/**
 * The whole service over test chains, the first being the default, listening on a free port. Its limits are out
 * of reach.
 * @param environment on top of what the chains need
 * @param wallNow the clock on its wall, unix time in milliseconds
 * @param forecasting how it makes forecasts; default: in the test's thread, at each block
 */
export async function startTestService(
  chains: readonly [ServedChain, ...ServedChain[]],
  environment: Record<string, string> = {},
  wallNow = WALL_OF_TEST_CHAINS,
  forecasting: Pick<Surroundings, 'forecaster' | 'forecastTimes'> = FORECAST_HERE,
): Promise<TestService> {
  const [first] = chains
  const folder = mkdtempSync(join(tmpdir(), 'remit-service-'))
  const config = loadConfig({
    HOST: '127.0.0.1',
    PORT: '0',
    DEFAULT_REST_CHAIN_ID: String(first.chainId),
    SHUTDOWN_TIMEOUT_MS: '500',
    // Suites that are not about limits shall not meet them.
    ...multipliedLimits(100_000),
    LIMIT_AUTH_FAILURES_RPM: '1000000',
    // Nobody else's requests to the chain are counted in most suites.
    SWEEP_REQUESTS_PER_HOUR: '0',
    DEVELOPER_KEYS_ADMIN_SECRET: ADMIN_SECRET,
    PASSES: 'on',
    RESCUES: 'on',
    SECRETS_KEY: '5e'.repeat(32),
    DATABASE_URL: `file:${join(folder, 'remit.db')}`,
    ...Object.fromEntries(chains.flatMap(variablesOf)),
    ...environment,
  })
  const chainsToFollow = config.chains.map((entry) => ({ ...entry, ...FOLLOWED_CLOSELY }))
  const logged: string[] = []
  const write: Log['info'] = (message, facts) => {
    logged.push(`${message} ${JSON.stringify(facts ?? {})}`)
  }
  const service = await startService(
    { ...config, chains: chainsToFollow },
    { info: write, warn: write, error: write },
    { wallNow, ...forecasting },
  )

  async function call(path: string, init: Asked): Promise<TestAnswer> {
    const { status, headers, text } = await exchange(`${service.url}${path}`, init)
    return { status, headers, body: text === '' ? {} : Body.parse(JSON.parse(text)) }
  }

  return {
    url: service.url,
    logged,
    get: (path, init = {}) => call(path, init),
    post: (path, body, init = {}) =>
      call(path, {
        ...init,
        method: 'POST',
        headers: [['Content-Type', 'application/json'], ...new Headers(init.headers)],
        body: JSON.stringify(body),
      }),
    async close() {
      closeKept(service.url)
      await service.close()
      rmSync(folder, { recursive: true, force: true })
    },
    async caughtUp() {
      for (const chain of chains) {
        const block = await chain.client.getBlock()
        // Has the service look at once, instead of at its next poll.
        const path = `/protocol/state?chainId=${chain.chainId}&minBlock=${block.number}`
        const deadline = performance.now() + 15_000
        for (;;) {
          const { body } = await call(path, {})
          // On a busy machine the service may answer that it has lost sight of the head: it is asked again.
          const { data } = z.object({ asOf: z.object({ blockHash: z.string() }) }).safeParse(body)
          if (data?.asOf.blockHash === block.hash) break
          if (performance.now() > deadline)
            throw new Error(
              `Never caught up with block ${block.number}: ${JSON.stringify(body)}; logged: ${logged.slice(-4).join('; ')}`,
            )
          await new Promise((resolve) => setTimeout(resolve, 20))
        }
      }
    },
  }
}

/** What tells a service, or the worker for the edge, of a chain. */
export function variablesOf({ url, chainId, contract, tokens }: ServedChain): [string, string][] {
  return [
    [`RPC_URL_${chainId}`, url],
    [`CONTRACT_ADDRESS_${chainId}`, contract],
    [`TOKENS_${chainId}`, Object.values(tokens).join(',')],
    [`CHAIN_NAME_${chainId}`, `Test chain ${chainId}`],
    [`DEV_CHAIN_${chainId}`, 'true'],
  ]
}

/**
 * A body without what differs from run to run: its request, its block, that of its forecast and where its index stood.
 * @param names what stands in for ids, which depend on the second in which they were made
 */
export function lasting(
  body: Record<string, unknown>,
  names: Readonly<Record<string, string>> = {},
): Record<string, unknown> {
  const { requestId: _, asOf: __, index: ___, ...rest } = body
  const named = Object.entries(names).reduce(
    (text, [id, name]) => text.replaceAll(id, name),
    JSON.stringify(rest, (key, value: unknown) => (key === 'readAt' && isAged(value) ? undefined : value)),
  )
  return Body.parse(JSON.parse(named))
}

function isAged(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'ageSeconds' in value
}
