import * as z from 'zod'
import { defineVariable } from '../defineVariable.ts'
import {
  bearerToken,
  boolean,
  databaseUrl,
  hosts,
  integer,
  oneOf,
  origins,
  port,
  publicUrl,
  redisUrl,
} from '../values.ts'

/** Variables of the service as a whole. */
export const SERVICE = {
  defaultChainId: defineVariable({
    name: 'DEFAULT_REST_CHAIN_ID',
    group: 'Chains',
    description: 'The chain for requests that name none. It needs an RPC URL.',
    schema: integer(1, Number.MAX_SAFE_INTEGER).describe('a chain id'),
    default: '8453',
  }),
  rpcTimeoutMs: defineVariable({
    name: 'RPC_TIMEOUT_MS',
    group: 'Chains',
    description: 'How long a node may take to answer, in milliseconds.',
    schema: integer(100, 120_000),
    default: '10000',
  }),
  idleAfterSeconds: defineVariable({
    name: 'IDLE_AFTER_SECONDS',
    group: 'Chains',
    description:
      'After how many seconds without a caller nodes are asked for new blocks only every 15 s. With 0 they are asked for each block at any time.',
    schema: integer(0, 1_000_000),
    default: '300',
  }),
  indexer: defineVariable({
    name: 'INDEXER',
    group: 'Store and index',
    description:
      'Whether this process fills the index. With `false` it only reads what another process fills.',
    schema: boolean,
    default: 'true',
  }),
  sweepRequestsPerHour: defineVariable({
    name: 'SWEEP_REQUESTS_PER_HOUR',
    group: 'Store and index',
    description:
      'How many questions to the nodes of each chain may be asked in an hour to foresee who will pay. With less than 30 there is no [sweep](#how-much-to-sweep), and outlooks of providers know nothing.',
    schema: integer(0, 1_000_000),
    default: '600',
  }),
  subgraphApiKey: defineVariable({
    name: 'SUBGRAPH_API_KEY',
    group: 'Store and index',
    description: 'The bearer key for every subgraph.',
    schema: bearerToken,
    secret: 'all',
  }),
  redisUrl: defineVariable({
    name: 'REDIS_URL',
    group: 'Limits',
    description:
      'The Redis in which replicas count limits together. If it is not set, each process counts by itself.',
    schema: redisUrl,
    secret: 'parts',
  }),
  limiterGraceSeconds: defineVariable({
    name: 'LIMITER_GRACE_SECONDS',
    group: 'Limits',
    description:
      'How long each process counts limits by itself when Redis is away, in seconds. After that it answers 503.',
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
    description: 'The base of links in answers. If it is not set: the address that the process listens on.',
    schema: publicUrl,
  }),
  allowedHosts: defineVariable({
    name: 'ALLOWED_HOSTS',
    group: 'Listening',
    description:
      'The names that the `Host` of a request may have. If it is not set: any name, or only loopback names if `HOST` is loopback.',
    schema: hosts,
  }),
  corsOrigins: defineVariable({
    name: 'API_CORS_ALLOWED_ORIGINS',
    group: 'Listening',
    description: 'Origins whose pages may call the API from a browser.',
    schema: origins,
    default: '',
  }),
  apiEnabled: defineVariable({
    name: 'API_ENABLED',
    group: 'Listening',
    description: 'With `false`, every route except `/`, `/status`, `/ready` and `/catalog` answers 503.',
    schema: boolean,
    default: 'true',
  }),
  walletConnectProjectId: defineVariable({
    name: 'WALLETCONNECT_PROJECT_ID',
    group: 'Listening',
    description:
      'The id of a WalletConnect project, which lets the site offer wallets on other devices. Browsers see it. Without it nothing of WalletConnect is loaded or allowed.',
    schema: z
      .string()
      .regex(/^[0-9a-f]{32}$/, 'must be 32 hexadecimal digits')
      .describe('32 hexadecimal digits'),
  }),
  shutdownTimeoutMs: defineVariable({
    name: 'SHUTDOWN_TIMEOUT_MS',
    group: 'Listening',
    description: 'How long running requests may take after SIGTERM, in milliseconds. Then they are aborted.',
    schema: integer(0, 600_000),
    default: '10000',
  }),
  logLevel: defineVariable({
    name: 'LOG_LEVEL',
    group: 'Log and metrics',
    description: 'The lowest level that is logged.',
    schema: oneOf(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']),
    default: 'info',
  }),
  logIdentityKey: defineVariable({
    name: 'LOG_IDENTITY_KEY',
    group: 'Log and metrics',
    description: 'The key that hashes callers in the log. If it is not set, each process makes a random one.',
    schema: z.string().min(16, 'must have at least 16 characters').describe('16 characters or more'),
    secret: 'all',
  }),
  metricsPort: defineVariable({
    name: 'METRICS_PORT',
    group: 'Log and metrics',
    description:
      'The port of `GET /metrics` on the same `HOST`, without authentication. An indexer and a deliverer answer `/live` and `/ready` there too. Each process on a machine needs one of its own.',
    schema: port,
  }),
}

/** Variables for managing keys, for the service and for `npm run keys`. */
export const KEYS = {
  databaseUrl: defineVariable({
    name: 'DATABASE_URL',
    group: 'Store and index',
    description:
      'The database for the index and for keys. SQLite is for one process, Postgres for any number.',
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
