import * as z from 'zod'
import { variablesOf } from '../defineVariable.ts'
import {
  bearerToken,
  boolean,
  contact,
  databaseUrl,
  dnsResolver,
  hosts,
  integer,
  oneOf,
  origins,
  port,
  publicUrl,
  redisUrl,
  testWallets,
} from '../values.ts'

const chainVariable = variablesOf('Chains')
const storeVariable = variablesOf('Store and index')
const limitVariable = variablesOf('Limits')
const listeningVariable = variablesOf('Listening')
const logVariable = variablesOf('Log and metrics')
const callerVariable = variablesOf('Callers and keys')

// The variables of the service as a whole: each with its name, what the documentation says of it, its form and its default. Words: the
// "index" is the history of a chain that this service reads and stores; the "sweep" reads anew which members will be able to pay.

/** Variables of chains, store, limits, listening and log. Read by every process, though each uses only some. */
export const SERVICE = {
  defaultChainId: chainVariable({
    name: 'DEFAULT_REST_CHAIN_ID',
    description: 'The chain for requests that name none. It needs an RPC URL.',
    schema: integer(1, Number.MAX_SAFE_INTEGER).describe('a chain id'),
    default: '8453',
  }),
  rpcTimeoutMs: chainVariable({
    name: 'RPC_TIMEOUT_MS',
    description: 'How long a node may take to answer, in milliseconds.',
    schema: integer(100, 120_000),
    default: '10000',
  }),
  idleAfterSeconds: chainVariable({
    name: 'IDLE_AFTER_SECONDS',
    description:
      'After how many seconds without a caller nodes are asked for new blocks only every 15 s. With 0 they are asked for each block at any time.',
    schema: integer(0, 1_000_000),
    default: '300',
  }),
  indexer: storeVariable({
    name: 'INDEXER',
    description:
      'Whether this process fills the index. With `false` it only reads what another process fills.',
    schema: boolean,
    default: 'true',
  }),
  sweepRequestsPerHour: storeVariable({
    name: 'SWEEP_REQUESTS_PER_HOUR',
    description:
      'How many questions to the nodes of each chain may be asked in an hour to foresee who will pay. With less than 30 there is no [sweep](#how-much-to-sweep), and outlooks of providers know nothing.',
    schema: integer(0, 1_000_000),
    default: '600',
  }),
  dnsResolver: storeVariable({
    name: 'DNS_RESOLVER',
    description:
      'Which resolver shows whether a provider’s domain is theirs: `system` is the one that this machine uses.',
    schema: dnsResolver,
    default: 'system',
  }),
  secondDnsResolver: storeVariable({
    name: 'SECOND_DNS_RESOLVER',
    description:
      'A second resolver, of another operator, which must agree. If it is not set, no [domain is looked up](run.md#domains-of-providers).',
    schema: dnsResolver,
  }),
  providerLooksPerHour: storeVariable({
    name: 'PROVIDER_LOOKS_PER_HOUR',
    description:
      'How many providers of each chain may be looked up in an hour: their domain by both resolvers, and the name of their address. 0 looks nobody up.',
    schema: integer(0, 1_000_000),
    default: '600',
  }),
  subgraphApiKey: storeVariable({
    name: 'SUBGRAPH_API_KEY',
    description: 'The bearer key for every subgraph.',
    schema: bearerToken,
    secret: 'all',
  }),
  redisUrl: limitVariable({
    name: 'REDIS_URL',
    description:
      'The Redis in which replicas count limits together. If it is not set, each process counts by itself.',
    schema: redisUrl,
    secret: 'parts',
  }),
  limiterGraceSeconds: limitVariable({
    name: 'LIMITER_GRACE_SECONDS',
    description:
      'How long each process counts limits by itself when Redis is away, in seconds. After that it answers 503.',
    schema: integer(0, 3_600),
    default: '30',
  }),
  host: listeningVariable({
    name: 'HOST',
    description: 'The address to listen on. `npm start` listens on `127.0.0.1`.',
    schema: z.string().min(1).describe('an address'),
    default: '0.0.0.0',
  }),
  port: listeningVariable({
    name: 'PORT',
    description: 'The port of REST and MCP; 0 takes any free one.',
    schema: port,
    default: '3000',
  }),
  publicUrl: listeningVariable({
    name: 'PUBLIC_URL',
    description: 'The base of links in answers. If it is not set: the address that the process listens on.',
    schema: publicUrl,
  }),
  allowedHosts: listeningVariable({
    name: 'ALLOWED_HOSTS',
    description:
      'The names that the `Host` of a request may have. If it is not set: any name, or only loopback names if `HOST` is loopback.',
    schema: hosts,
  }),
  corsOrigins: listeningVariable({
    name: 'API_CORS_ALLOWED_ORIGINS',
    description: 'Origins whose pages may call the API from a browser.',
    schema: origins,
    default: '',
  }),
  apiEnabled: listeningVariable({
    name: 'API_ENABLED',
    description: 'With `false`, every route except `/`, `/status`, `/ready` and `/catalog` answers 503.',
    schema: boolean,
    default: 'true',
  }),
  walletConnectProjectId: listeningVariable({
    name: 'WALLETCONNECT_PROJECT_ID',
    description:
      'The id of a WalletConnect project, which lets the site offer wallets on other devices. Browsers see it. Without it nothing of WalletConnect is loaded or allowed.',
    schema: z
      .string()
      .regex(/^[0-9a-f]{32}$/, 'must be 32 hexadecimal digits')
      .describe('32 hexadecimal digits'),
  }),
  testWallets: listeningVariable({
    name: 'TEST_WALLET',
    description:
      'Which test wallets the pages of chain 31337 offer: accounts of its node, which sign all that a page asks for. `true` is its last account. `npm start` offers those of its example data. It needs a node on this machine, and no other chain has them.',
    schema: testWallets,
    default: 'false',
  }),
  shutdownTimeoutMs: listeningVariable({
    name: 'SHUTDOWN_TIMEOUT_MS',
    description: 'How long running requests may take after SIGTERM, in milliseconds. Then they are aborted.',
    schema: integer(0, 600_000),
    default: '10000',
  }),
  logLevel: logVariable({
    name: 'LOG_LEVEL',
    description: 'The lowest level that is logged.',
    schema: oneOf(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']),
    default: 'info',
  }),
  logIdentityKey: logVariable({
    name: 'LOG_IDENTITY_KEY',
    description: 'The key that hashes callers in the log. If it is not set, each process makes a random one.',
    schema: z.string().min(16, 'must have at least 16 characters').describe('16 characters or more'),
    secret: 'all',
  }),
  metricsPort: logVariable({
    name: 'METRICS_PORT',
    description:
      'The port of `GET /metrics` on the same `HOST`, without authentication. An indexer and a deliverer answer `/live` and `/ready` there too. Each process on a machine needs one of its own.',
    schema: port,
  }),
}

/** Who runs the service, for people. */
export const OPERATOR = {
  name: listeningVariable({
    name: 'OPERATOR_NAME',
    description:
      'Who runs this service: a company or a person. It stands at the end of each page, on paper before a table, and so on receipts.',
    schema: z.string().trim().min(1).max(100, 'must have at most 100 characters').describe('a name'),
  }),
  contact: listeningVariable({
    name: 'OPERATOR_CONTACT',
    description: 'Where people ask whoever runs this service. It stands beside `OPERATOR_NAME`.',
    schema: contact,
  }),
}

/** Variables for managing keys, for the service and for `npm run keys`. */
export const KEYS = {
  databaseUrl: storeVariable({
    name: 'DATABASE_URL',
    description:
      'The database for the index and for keys. SQLite is for one process, Postgres for any number.',
    schema: databaseUrl,
    default: 'file:data/remit.db',
    secret: 'parts',
  }),
  maxKeysPerSubject: callerVariable({
    name: 'MAX_KEYS_PER_SUBJECT',
    description: 'How many live keys one subject may have.',
    schema: integer(1, 10_000),
    default: '5',
  }),
}
