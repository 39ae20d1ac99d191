import * as z from 'zod'
import { DEFAULT_SERVER_LIMITS } from '../../surfaces/server/serverLimits.ts'
import { variablesOf } from '../defineVariable.ts'
import { boolean, integer, networks, pageUrl, text } from '../values.ts'

const callerVariable = variablesOf('Callers and keys')
const connectionVariable = variablesOf('Connections')

/** Who may call, and how callers are told apart. Whoever sends no key is on the "free lane": its limits count by network address. */
export const CALLERS = {
  developerKeysEnabled: callerVariable({
    name: 'DEVELOPER_KEYS_ENABLED',
    description: 'Whether API keys can be created and used.',
    schema: boolean,
    default: 'true',
  }),
  developerKeysAdminSecret: callerVariable({
    name: 'DEVELOPER_KEYS_ADMIN_SECRET',
    description:
      'The secret with which operators manage keys over HTTP. With fewer than 16 characters, nobody can manage keys.',
    schema: text,
    secret: 'all',
  }),
  developerKeysGraceSeconds: callerVariable({
    name: 'DEVELOPER_KEYS_GRACE_SECONDS',
    description:
      'How long a key works while the store is away, in seconds since the process last asked the store about it. With 0, callers with keys get 503.',
    schema: integer(0, 3_600),
    default: '300',
  }),
  developerPortalUrl: callerVariable({
    name: 'DEVELOPER_PORTAL_URL',
    description:
      'The URL at which callers can get a key. Errors on the free lane name it. If it is not set and `PORTAL` is `open`: `/portal` here.',
    schema: pageUrl,
  }),
  trustedProxies: callerVariable({
    name: 'TRUSTED_PROXIES',
    description:
      'The proxies whose `X-Forwarded-For` is trusted. All callers behind another proxy count as one.',
    schema: networks,
    default: '',
  }),
  edgeAddressHeader: callerVariable({
    name: 'EDGE_ADDRESS_HEADER',
    description:
      'The header in which the platform of [the worker for the edge](run.md#at-the-edge) writes the address of the caller. It must replace what a caller writes there. Without the header, all callers count as one.',
    schema: z
      .string()
      .regex(/^[A-Za-z0-9-]+$/, 'must be the name of a header')
      .describe('the name of a header'),
    default: 'cf-connecting-ip',
  }),
}

/** Read separately: the user and the password are needed only if `required` is true. */
export const BASIC_AUTH = {
  required: callerVariable({
    name: 'API_REQUIRE_BASIC_AUTH',
    description: 'Whether every route except `/status` and `/ready` requires a user and a password.',
    schema: boolean,
    default: 'false',
  }),
  user: callerVariable({
    name: 'API_BASIC_AUTH_USER',
    description: 'The user that `API_REQUIRE_BASIC_AUTH` requires.',
    schema: z
      .string()
      .regex(/^[^:]*$/, 'must have no colon')
      .describe('text without a colon'),
  }),
  password: callerVariable({
    name: 'API_BASIC_AUTH_PASSWORD',
    description: 'The password that `API_REQUIRE_BASIC_AUTH` requires.',
    schema: text,
    secret: 'all',
  }),
}

const timeoutMs = integer(100, 600_000)
const usual = DEFAULT_SERVER_LIMITS

/** How many connections callers may hold, and how long each step may take. */
export const CONNECTIONS = {
  maxConnections: connectionVariable({
    name: 'HTTP_MAX_CONNECTIONS',
    description:
      'The most open connections. At the limit, idle and stalled ones are closed to make room. Keep it well under the ' +
      'limit of open files.',
    schema: integer(10, 1_000_000),
    default: String(usual.maxConnections),
  }),
  headersTimeoutMs: connectionVariable({
    name: 'HTTP_HEADERS_TIMEOUT_MS',
    description: "How long a request's headers may take to arrive, in milliseconds.",
    schema: timeoutMs,
    default: String(usual.headersTimeoutMs),
  }),
  requestTimeoutMs: connectionVariable({
    name: 'HTTP_REQUEST_TIMEOUT_MS',
    description: 'How long a whole request may take to arrive, in milliseconds.',
    schema: timeoutMs,
    default: String(usual.requestTimeoutMs),
  }),
  sendTimeoutMs: connectionVariable({
    name: 'HTTP_SEND_TIMEOUT_MS',
    description:
      'How long a client may stop reading its answer, in milliseconds. Then the connection is closed.',
    schema: timeoutMs,
    default: String(usual.sendTimeoutMs),
  }),
  keepAliveTimeoutMs: connectionVariable({
    name: 'HTTP_KEEP_ALIVE_TIMEOUT_MS',
    description:
      "How long an idle connection stays open, in milliseconds. Make it longer than the load balancer's.",
    schema: timeoutMs,
    default: String(usual.keepAliveTimeoutMs),
  }),
  maxHeaderBytes: connectionVariable({
    name: 'HTTP_MAX_HEADER_BYTES',
    description: 'The most bytes of the request line and all headers together.',
    schema: integer(8_192, 1_048_576),
    default: String(usual.maxHeaderBytes),
  }),
}

/** The limit of all callers' streams together. That of one caller's is `STREAMS` in `limits.ts`. */
export const MAX_STREAMS = connectionVariable({
  name: 'HTTP_MAX_STREAMS',
  description:
    'The most streams of events and waiting long polls, of all callers together. It must be less than `HTTP_MAX_CONNECTIONS`; if it is not set, it is half of that. 0 refuses them all.',
  schema: integer(0, 1_000_000),
})
