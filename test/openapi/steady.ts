import { isoTime } from '@remit/engine/presentation/day'
import type { AnswerExample } from '@remit/service/testing/surfaces/openapi/examples'
import type { Json, JsonObject } from '@remit/service/testing/surfaces/openapi/SchemaBook'
import * as z from 'zod'
import { FAR_FUTURE } from './sampleInput.ts'

/**
 * What is random by nature, or told by the wall's clock, made the same in every recording. Nothing else of an
 * answer is touched.
 *
 * - request ids and ids of keys, made at random: one fixed UUID
 * - ids of webhooks and of permits that are kept: made of the same UUID
 * - keys and secrets: masked, so that no example looks like a live one
 * - ids of what webhooks are told that is no event: made of the same UUID
 * - times of keys, webhooks and kept permits, of the wall's clock: the second at which the example chain stands
 * - when a replaced key or secret ends: a day after that
 * - how long a node or a receiver took: 3 ms
 * - how webhooks stand, which is looked at every ten seconds: two, and all is well
 * - where the receiver of webhooks listens on this machine: the domain of a shop
 * - nonces, signatures, passes and the keys that sign those: always the same, or cut off
 * - seconds until a limit gives more: of a minute's 60, of a day's half a day
 * - the OpenAPI document in an example of itself: its head alone
 */
export function steady(body: JsonObject): JsonObject {
  return steadyObject(typeof body.openapi === 'string' ? headOf(body) : body)
}

/** What was sent, likewise: it may name what was made. */
export function steadyRequest({ path, query, body }: Request): Request {
  const request = { path: steadyObject(path), query: steadyObject(query) }
  return body === undefined ? request : { ...request, body: steadyObject(body) }
}

/** Headers that tell of limits, likewise. */
export function steadyHeader(name: string, value: string): string {
  if (name === 'X-Request-Id') return SOME_UUID
  if (name === 'Retry-After') return `${MINUTE_SECONDS}`
  if (name !== 'RateLimit') return value
  return value.replace(/"(\w+)";r=(\d+);t=\d+/g, (_, bucket: string, left: string) => {
    return `"${bucket}";r=${left};t=${secondsLeft(bucket)}`
  })
}

/** Until the limit of this name gives more. */
function secondsLeft(limit: string): number {
  return /daily/i.test(limit) ? HALF_A_DAY_SECONDS : MINUTE_SECONDS
}

type Request = AnswerExample['request']

const SOME_UUID = '5b0c9f6e-3d1a-4a52-9c47-8f2e6d7b1a30'
const SOME_KEY = 'svc_…'
const SOME_SECRET = 'kq8mT2bVw0Hn5xYf…'
const SOME_TIME = Date.UTC(2026, 2, 10, 12) / 1000
const MINUTE_SECONDS = 60
const HALF_A_DAY_SECONDS = 43_200
const DAY_SECONDS = 86_400
const TOOK_MS = 3

/** In the status of the service. */
const STANDING = {
  active: 2,
  failing: 0,
  paused: 0,
  deliverers: 1,
  waiting: 0,
  behindSeconds: 0,
  alarm: null,
}

const INCIDENT = {
  part: 'node',
  chainId: 31337,
  message: 'No node of the chain answers.',
  startedAt: SOME_TIME + HALF_A_DAY_SECONDS,
  formattedStartedAt: isoTime(SOME_TIME + HALF_A_DAY_SECONDS),
  endedAt: SOME_TIME + HALF_A_DAY_SECONDS + 2 * MINUTE_SECONDS,
  formattedEndedAt: isoTime(SOME_TIME + HALF_A_DAY_SECONDS + 2 * MINUTE_SECONDS),
}

/** What a wallet signs to sign in, which stands beside its signature. Other messages are sentences. */
const SIGNED = 'api.remit.example wants you to sign in with your Ethereum account:\n…'

/** What stands for random texts, by the names of their fields. */
const RANDOM: Readonly<Record<string, string>> = {
  nonce: 'GdAdpsCiv5GL0DTb…',
  signature: `0x${'5e'.repeat(65)}`,
  pass: 'eyJhbGciOiJFZERTQSIs…',
  x: '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo',
}

/** Times of the wall's clock in a key as management tells it, in a webhook, and in a delivery. */
const KEY_TIMES = ['createdAt', 'lastUsedAt', 'revokedAt']
const WEBHOOK_TIMES = ['createdAt', 'pausedAt', 'lastDeliveredAt', 'failingSince']
const DELIVERY_TIMES = ['createdAt', 'nextAttemptAt', 'lastAttemptAt']

function noticeId(notice: string): string {
  const some = SOME_UUID.replaceAll('-', '')
  return ['paused', 'offered'].includes(notice) ? `evt_${some}5b0c9f6e` : `evt_${notice}_${some}`
}

function steadyObject(body: JsonObject): JsonObject {
  const isKey = typeof body.prefix === 'string' && typeof body.subjectId === 'string'
  const isSession = typeof body.address === 'string' && typeof body.subjectId === 'string'
  const [, notice] = /^(?:webhook|rescue)\.(\w+)$/.exec(String(body.type)) ?? []
  const times = [
    ...(isKey ? KEY_TIMES : []),
    ...('failingSince' in body ? WEBHOOK_TIMES : []),
    ...('nextAttemptAt' in body ? DELIVERY_TIMES : []),
    ...('deadline' in body ? ['createdAt'] : []),
  ]
  return Object.fromEntries(
    Object.entries(body).map(([name, value]) => {
      if (times.includes(name)) return [name, value === null ? null : SOME_TIME]
      if (isSession && name === 'secret') return [name, SOME_SECRET]
      if (notice !== undefined && name === 'id') return [name, noticeId(notice)]
      if (notice !== undefined && name === 'challenge') return [name, 'q83vASNFZ4mrze8BI0VniavN7wEjRWeJ']
      if (notice !== undefined && name === 'time') return [name, isoTime(SOME_TIME)]
      if (name === 'webhooks' && 'apiEnabled' in body) return [name, STANDING]
      if (name === 'startedAt' && 'apiEnabled' in body) return [name, SOME_TIME]
      if (name === 'formattedStartedAt' && 'apiEnabled' in body) return [name, isoTime(SOME_TIME)]
      if (name === 'incidents') return [name, [INCIDENT]]
      // A key that was not replaced ends when its maker says.
      const isReplaced = name === 'oldSecretUntil' || (isKey && name === 'expiresAt' && value !== FAR_FUTURE)
      if (isReplaced) return [name, value === null ? null : SOME_TIME + DAY_SECONDS]
      if (isKey && name === 'prefix') return [name, SOME_KEY]
      if ((name === 'latencyMs' || name === 'durationMs') && typeof value === 'number') return [name, TOOK_MS]
      if (name === 'resetSeconds' && value !== 0) return [name, secondsLeft(String(body.name))]
      // That of a permit is a number of its owner's.
      const isRandom = name !== 'nonce' || !('deadline' in body)
      const shown = name === 'message' && 'signature' in body ? SIGNED : isRandom && RANDOM[name]
      if (typeof shown === 'string' && typeof value === 'string') return [name, shown]
      if (name === 'retryAfterSeconds') return [name, MINUTE_SECONDS]
      return [name, steadyValue(value)]
    }),
  )
}

function steadyValue(value: Json): Json {
  if (Array.isArray(value)) return value.map(steadyValue)
  if (isObject(value)) return steadyObject(value)
  return typeof value === 'string' ? steadyText(value) : value
}

function isObject(value: Json): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function steadyText(text: string): string {
  return text
    .replace(/\b(?!0{8})[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}\b/g, SOME_UUID)
    .replace(/\bwh_(?!0{8})[0-9a-f]{32}\b/g, `wh_${SOME_UUID.replaceAll('-', '')}`)
    .replace(/\brescue_(?!0{8})[0-9a-f]{32}\b/g, `rescue_${SOME_UUID.replaceAll('-', '')}`)
    .replace(/\bsvc_[\w-]{6,}/g, SOME_KEY)
    .replace(/\b(whsec|whpk)_[\w+/=]{6,}/g, '$1_…')
    .replace(/http:\/\/127\.0\.0\.1:\d+/g, 'https://coffee.example')
    .replace(/: wait \d+ s and/, `: wait ${MINUTE_SECONDS} s and`)
}

function headOf({ openapi, info, servers, security, tags }: JsonObject): JsonObject {
  return z.record(z.string(), z.json()).parse({ openapi, info, servers, security, tags })
}
