import * as z from 'zod'
import { isNetwork } from './access/identity/ClientAddresses.ts'
import { type LimitsConfig, readLimits } from './access/limits/laneLimits.ts'
import type { ChainEntry } from './chain/registry.ts'
import { loadChains, requireReachable, requireSubgraph } from './chainsConfig.ts'
import { boolean, ConfigError, type Environment, httpUrl, integer, list, reader } from './environment.ts'
import { DEFAULT_SERVER_LIMITS, type ServerLimits } from './surfaces/http/serverLimits.ts'

/** Everything that the environment decides. */
export interface Config {
  readonly host: string
  readonly port: number
  /** What links say; `undefined`: the address that the server listens on. */
  readonly publicUrl: string | undefined
  /** Hosts that requests may name; `undefined`: any, or only loopback names while listening on loopback. */
  readonly allowedHosts: readonly string[] | undefined
  readonly corsOrigins: readonly string[]
  readonly apiEnabled: boolean
  readonly defaultChainId: number
  readonly chains: readonly ChainEntry[]
  /** The store: `file:…` (SQLite) or `postgres://…`. It may hold a password. */
  readonly databaseUrl: string
  /** Whether this process fills the index; with INDEXER=false it only reads what other processes fill. */
  readonly indexer: boolean
  /** The bearer key of every subgraph. */
  readonly subgraphApiKey: string | undefined
  /** Whether API keys are made and taken. */
  readonly developerKeysEnabled: boolean
  /** What operators show to manage keys. */
  readonly developerKeysAdminSecret: string | undefined
  readonly maxKeysPerSubject: number
  /** What every request must show; `undefined`: nothing. */
  readonly basicAuth: { readonly user: string; readonly password: string } | undefined
  /** Addresses and networks whose X-Forwarded-For is believed. */
  readonly trustedProxies: readonly string[]
  readonly rpcTimeoutMs: number
  readonly shutdownTimeoutMs: number
  readonly limits: LimitsConfig
  /** Where limits are counted; `undefined`: in this process. It may hold a password. */
  readonly redisUrl: string | undefined
  /** How long limits may be counted in this process while Redis is away. */
  readonly limiterGraceSeconds: number
  /** Where callers get developer keys. */
  readonly developerPortalUrl: string | undefined
  readonly logLevel: string
  /** What callers are hashed with in the log; `undefined`: something random, anew at each start. */
  readonly logIdentityKey: string | undefined
  /** Where Prometheus asks; `undefined`: nowhere. */
  readonly metricsPort: number | undefined
  readonly serverLimits: ServerLimits
}

const DEFAULT_REST_CHAIN_ID = 8453
/** As much as a limit can be set to: no limit to anybody. */
const MOST_UNITS = 1_000_000_000
const LONG_ENOUGH = 'must have at least 16 characters'
const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const

/** Reads the configuration. Throws ConfigError with a sentence that names the variable. */
export function loadConfig(environment: Environment): Config {
  const read = reader(environment)
  const defaultChainId = read(
    'DEFAULT_REST_CHAIN_ID',
    integer(1, Number.MAX_SAFE_INTEGER),
    DEFAULT_REST_CHAIN_ID,
  )
  const chains = loadChains(environment)
  requireReachable(chains, defaultChainId)
  for (const chain of chains) requireSubgraph(chain)
  return {
    host: read('HOST', z.string().min(1), '0.0.0.0'),
    port: read('PORT', integer(0, 65_535), 3000),
    publicUrl: read('PUBLIC_URL', publicUrl, undefined),
    allowedHosts: read('ALLOWED_HOSTS', list(z.string().toLowerCase()), undefined),
    corsOrigins: read('API_CORS_ALLOWED_ORIGINS', list(origin), []),
    apiEnabled: read('API_ENABLED', boolean, true),
    defaultChainId,
    chains,
    indexer: read('INDEXER', boolean, true),
    subgraphApiKey: read('SUBGRAPH_API_KEY', bearerToken, undefined),
    ...readKeysConfig(environment),
    developerKeysEnabled: read('DEVELOPER_KEYS_ENABLED', boolean, true),
    developerKeysAdminSecret: read('DEVELOPER_KEYS_ADMIN_SECRET', z.string(), undefined),
    basicAuth: readBasicAuth(environment),
    trustedProxies: read('TRUSTED_PROXIES', list(network), []),
    rpcTimeoutMs: read('RPC_TIMEOUT_MS', integer(100, 120_000), 10_000),
    shutdownTimeoutMs: read('SHUTDOWN_TIMEOUT_MS', integer(0, 600_000), 10_000),
    limits: readLimits((variable, fallback) => read(variable, integer(1, MOST_UNITS), fallback)),
    redisUrl: read('REDIS_URL', redisUrl, undefined),
    limiterGraceSeconds: read('LIMITER_GRACE_SECONDS', integer(0, 3_600), 30),
    developerPortalUrl: read('DEVELOPER_PORTAL_URL', publicUrl, undefined),
    logLevel: read('LOG_LEVEL', z.enum(LOG_LEVELS), 'info'),
    logIdentityKey: read('LOG_IDENTITY_KEY', z.string().min(16, LONG_ENOUGH), undefined),
    metricsPort: read('METRICS_PORT', integer(0, 65_535), undefined),
    serverLimits: loadServerLimits(environment),
  }
}

function loadServerLimits(environment: Environment): ServerLimits {
  const read = reader(environment)
  const usual = DEFAULT_SERVER_LIMITS
  const timeoutMs = integer(100, 600_000)
  const headersTimeoutMs = read('HTTP_HEADERS_TIMEOUT_MS', timeoutMs, usual.headersTimeoutMs)
  const requestTimeoutMs = read('HTTP_REQUEST_TIMEOUT_MS', timeoutMs, usual.requestTimeoutMs)
  if (headersTimeoutMs > requestTimeoutMs) {
    throw new ConfigError(
      `HTTP_HEADERS_TIMEOUT_MS (${headersTimeoutMs}) must not be longer than HTTP_REQUEST_TIMEOUT_MS (${requestTimeoutMs}).`,
    )
  }
  return {
    maxHeaderBytes: read('HTTP_MAX_HEADER_BYTES', integer(8_192, 1_048_576), usual.maxHeaderBytes),
    headersTimeoutMs,
    requestTimeoutMs,
    sendTimeoutMs: read('HTTP_SEND_TIMEOUT_MS', timeoutMs, usual.sendTimeoutMs),
    keepAliveTimeoutMs: read('HTTP_KEEP_ALIVE_TIMEOUT_MS', timeoutMs, usual.keepAliveTimeoutMs),
    maxConnections: read('HTTP_MAX_CONNECTIONS', integer(10, 1_000_000), usual.maxConnections),
  }
}

/** What managing keys takes, with the service or without it. Throws ConfigError. */
export function readKeysConfig(environment: Environment): Pick<Config, 'databaseUrl' | 'maxKeysPerSubject'> {
  const read = reader(environment)
  return {
    databaseUrl: read('DATABASE_URL', databaseUrl, 'file:data/remit.db'),
    maxKeysPerSubject: read('MAX_KEYS_PER_SUBJECT', integer(1, 10_000), 5),
  }
}

function readBasicAuth(environment: Environment): Config['basicAuth'] {
  const read = reader(environment)
  if (!read('API_REQUIRE_BASIC_AUTH', boolean, false)) return undefined
  const required = (name: string, schema: z.ZodType<string>) => {
    const value = read(name, schema, undefined)
    if (value === undefined)
      throw new ConfigError(`${name} is not set, but API_REQUIRE_BASIC_AUTH asks for it.`)
    return value
  }
  return {
    user: required('API_BASIC_AUTH_USER', z.string().regex(/^[^:]*$/, 'must have no colon')),
    password: required('API_BASIC_AUTH_PASSWORD', z.string()),
  }
}

const databaseUrl = z
  .string()
  .regex(
    /^(file:(?!:memory:).|postgres(ql)?:\/\/.)/,
    'must be file:<path> for SQLite, or postgres://… for Postgres',
  )

const network = z.string().refine(isNetwork, 'must list addresses and networks such as 10.0.0.0/8')

const redisUrl = z.url({ protocol: /^rediss?$/, error: 'must be a redis or rediss URL' })

const bearerToken = z.string().regex(/^[\x21-\x7e]+$/, 'must be one word of plain characters')

const publicUrl = httpUrl.transform((url) => url.replace(/\/+$/, ''))

const origin = httpUrl.refine(
  (url) => new URL(url).origin === url,
  'must be an origin such as https://app.example',
)
