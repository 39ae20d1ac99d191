import * as z from 'zod'
import { DEFAULT_SERVER_LIMITS } from '../../surfaces/server/serverLimits.ts'
import { defineVariable } from '../defineVariable.ts'
import { boolean, integer, networks, publicUrl, text } from '../values.ts'

/** Who may call, and how callers are told apart. */
export const CALLERS = {
  developerKeysEnabled: defineVariable({
    name: 'DEVELOPER_KEYS_ENABLED',
    group: 'Callers and keys',
    description: 'Whether API keys are made and taken.',
    schema: boolean,
    default: 'true',
  }),
  developerKeysAdminSecret: defineVariable({
    name: 'DEVELOPER_KEYS_ADMIN_SECRET',
    group: 'Callers and keys',
    description: 'What operators show to manage keys over HTTP. With fewer than 16 characters nobody can.',
    schema: text,
    secret: 'all',
  }),
  developerPortalUrl: defineVariable({
    name: 'DEVELOPER_PORTAL_URL',
    group: 'Callers and keys',
    description: 'Where callers get keys: refusals on the free lane name it.',
    schema: publicUrl,
  }),
  trustedProxies: defineVariable({
    name: 'TRUSTED_PROXIES',
    group: 'Callers and keys',
    description:
      'Whose `X-Forwarded-For` is believed. Behind a proxy that is not listed, all callers are one.',
    schema: networks,
    default: '',
  }),
}

/** Read by itself: the user and the password are needed where it is required. */
export const BASIC_AUTH = {
  required: defineVariable({
    name: 'API_REQUIRE_BASIC_AUTH',
    group: 'Callers and keys',
    description: 'Whether every route but `/status` and `/ready` asks for a user and a password first.',
    schema: boolean,
    default: 'false',
  }),
  user: defineVariable({
    name: 'API_BASIC_AUTH_USER',
    group: 'Callers and keys',
    description: 'The user that it asks for.',
    schema: z
      .string()
      .regex(/^[^:]*$/, 'must have no colon')
      .describe('text without a colon'),
  }),
  password: defineVariable({
    name: 'API_BASIC_AUTH_PASSWORD',
    group: 'Callers and keys',
    description: 'The password that it asks for.',
    schema: text,
    secret: 'all',
  }),
}

const timeoutMs = integer(100, 600_000)
const usual = DEFAULT_SERVER_LIMITS

/** How much room and time callers get. */
export const CONNECTIONS = {
  maxConnections: defineVariable({
    name: 'HTTP_MAX_CONNECTIONS',
    group: 'Connections',
    description:
      'Where more come, those that only wait give way. Keep it well under the limit of open files.',
    schema: integer(10, 1_000_000),
    default: String(usual.maxConnections),
  }),
  headersTimeoutMs: defineVariable({
    name: 'HTTP_HEADERS_TIMEOUT_MS',
    group: 'Connections',
    description: "Until a request's headers have arrived, in milliseconds.",
    schema: timeoutMs,
    default: String(usual.headersTimeoutMs),
  }),
  requestTimeoutMs: defineVariable({
    name: 'HTTP_REQUEST_TIMEOUT_MS',
    group: 'Connections',
    description: 'Until the whole request has arrived, in milliseconds.',
    schema: timeoutMs,
    default: String(usual.requestTimeoutMs),
  }),
  sendTimeoutMs: defineVariable({
    name: 'HTTP_SEND_TIMEOUT_MS',
    group: 'Connections',
    description: 'How long a client may take nothing of its answer, in milliseconds.',
    schema: timeoutMs,
    default: String(usual.sendTimeoutMs),
  }),
  keepAliveTimeoutMs: defineVariable({
    name: 'HTTP_KEEP_ALIVE_TIMEOUT_MS',
    group: 'Connections',
    description: "Longer than the load balancer's, in milliseconds, so that it is that who closes.",
    schema: timeoutMs,
    default: String(usual.keepAliveTimeoutMs),
  }),
  maxHeaderBytes: defineVariable({
    name: 'HTTP_MAX_HEADER_BYTES',
    group: 'Connections',
    description: 'The request line and all headers.',
    schema: integer(8_192, 1_048_576),
    default: String(usual.maxHeaderBytes),
  }),
}
