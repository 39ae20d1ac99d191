import * as z from 'zod'
import { defineVariable } from '../defineVariable.ts'
import {
  bearerToken,
  boolean,
  databaseUrl,
  integer,
  list,
  oneOf,
  origins,
  port,
  publicUrl,
  redisUrl,
} from '../values.ts'

/** What the service as a whole takes from the environment. */
export const SERVICE = {
  defaultChainId: defineVariable({
    name: 'DEFAULT_REST_CHAIN_ID',
    group: 'Chains',
    description: 'The chain of requests that name none. It needs an RPC URL.',
    schema: integer(1, Number.MAX_SAFE_INTEGER).describe('a chain id'),
    default: '8453',
  }),
  rpcTimeoutMs: defineVariable({
    name: 'RPC_TIMEOUT_MS',
    group: 'Chains',
    description: 'How long one answer of a node may take, in milliseconds.',
    schema: integer(100, 120_000),
    default: '10000',
  }),
  indexer: defineVariable({
    name: 'INDEXER',
    group: 'Store and index',
    description: 'Whether this process fills the index; with `false` it only reads what others fill.',
    schema: boolean,
    default: 'true',
  }),
  subgraphApiKey: defineVariable({
    name: 'SUBGRAPH_API_KEY',
    group: 'Store and index',
    description: 'The bearer key of every subgraph.',
    schema: bearerToken,
    secret: 'all',
  }),
  redisUrl: defineVariable({
    name: 'REDIS_URL',
    group: 'Limits',
    description: 'Where replicas count limits together. Where it is not set, each process counts by itself.',
    schema: redisUrl,
    secret: 'parts',
  }),
  limiterGraceSeconds: defineVariable({
    name: 'LIMITER_GRACE_SECONDS',
    group: 'Limits',
    description:
      'How long each process counts by itself while Redis is away, in seconds; then it answers 503.',
    schema: integer(0, 3_600),
    default: '30',
  }),
  host: defineVariable({
    name: 'HOST',
    group: 'Listening',
    description: 'The address to listen on. `npm start` listens on `127.0.0.1`.',
    schema: z.string().min(1).describe('an address'),
    default: '0.0.0.0',
  }),
  port: defineVariable({
    name: 'PORT',
    group: 'Listening',
    description: 'The port of REST and MCP; 0 takes any free one.',
    schema: port,
    default: '3000',
  }),
  publicUrl: defineVariable({
    name: 'PUBLIC_URL',
    group: 'Listening',
    description: 'What links say. Where it is not set: the address that the process listens on.',
    schema: publicUrl,
  }),
  allowedHosts: defineVariable({
    name: 'ALLOWED_HOSTS',
    group: 'Listening',
    description:
      'Names that the `Host` of a request may have. Where it is not set: any, but on loopback only the names of loopback.',
    schema: list(z.string().toLowerCase(), 'host names'),
  }),
  corsOrigins: defineVariable({
    name: 'API_CORS_ALLOWED_ORIGINS',
    group: 'Listening',
    description: 'Origins whose pages may call from a browser.',
    schema: origins,
    default: '',
  }),
  apiEnabled: defineVariable({
    name: 'API_ENABLED',
    group: 'Listening',
    description: '`false` answers 503 but for `/`, `/status`, `/ready` and `/catalog`.',
    schema: boolean,
    default: 'true',
  }),
  shutdownTimeoutMs: defineVariable({
    name: 'SHUTDOWN_TIMEOUT_MS',
    group: 'Listening',
    description:
      'How long requests in flight may take after SIGTERM, in milliseconds; then they are cut off.',
    schema: integer(0, 600_000),
    default: '10000',
  }),
  logLevel: defineVariable({
    name: 'LOG_LEVEL',
    group: 'Log and metrics',
    description: 'The least level that is written.',
    schema: oneOf(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']),
    default: 'info',
  }),
  logIdentityKey: defineVariable({
    name: 'LOG_IDENTITY_KEY',
    group: 'Log and metrics',
    description:
      'What callers are hashed with in the log. Where it is not set, each process draws a key of its own at its start.',
    schema: z.string().min(16, 'must have at least 16 characters').describe('16 characters or more'),
    secret: 'all',
  }),
  metricsPort: defineVariable({
    name: 'METRICS_PORT',
    group: 'Log and metrics',
    description:
      'Opens `GET /metrics` for Prometheus on this port of the same `HOST`, without authentication.',
    schema: port,
  }),
}

/** What managing keys takes, with the service or without it. */
export const KEYS = {
  databaseUrl: defineVariable({
    name: 'DATABASE_URL',
    group: 'Store and index',
    description: 'The store of the index and of keys. SQLite is for one process, Postgres for any number.',
    schema: databaseUrl,
    default: 'file:data/remit.db',
    secret: 'parts',
  }),
  maxKeysPerSubject: defineVariable({
    name: 'MAX_KEYS_PER_SUBJECT',
    group: 'Callers and keys',
    description: 'How many live keys one subject may have.',
    schema: integer(1, 10_000),
    default: '5',
  }),
}
