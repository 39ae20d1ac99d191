import * as z from 'zod'
import type { AnswerExample } from '../../src/surfaces/openapi/examples.ts'
import type { Json, JsonObject } from '../../src/surfaces/openapi/json.ts'

/**
 * What is random by nature, or told by the wall's clock, made the same in every recording. Nothing else of an
 * answer is touched.
 *
 * - request ids and ids of keys, made at random: one fixed UUID
 * - keys: masked, so that no example looks like a live one
 * - times of keys, of the wall's clock: the second at which the example chain stands
 * - how long the node took: 3 ms
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
    const isDaily = /daily/i.test(bucket)
    return `"${bucket}";r=${left};t=${isDaily ? HALF_A_DAY_SECONDS : MINUTE_SECONDS}`
  })
}

type Request = AnswerExample['request']

const SOME_UUID = '5b0c9f6e-3d1a-4a52-9c47-8f2e6d7b1a30'
const SOME_KEY = 'svc_…'
const SOME_TIME = Date.UTC(2026, 2, 10, 12) / 1000
const MINUTE_SECONDS = 60
const HALF_A_DAY_SECONDS = 43_200

/** The fields of a key as management tells it. */
const KEY_TIMES = ['createdAt', 'lastUsedAt', 'revokedAt']

function steadyObject(body: JsonObject): JsonObject {
  const isKey = typeof body.prefix === 'string' && typeof body.subjectId === 'string'
  return Object.fromEntries(
    Object.entries(body).map(([name, value]) => {
      if (isKey && KEY_TIMES.includes(name)) return [name, value === null ? null : SOME_TIME]
      if (isKey && name === 'prefix') return [name, SOME_KEY]
      if (name === 'latencyMs' && typeof value === 'number') return [name, 3]
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
    .replace(/\bsvc_[\w-]{6,}/g, SOME_KEY)
    .replace(/: wait \d+ s and/, `: wait ${MINUTE_SECONDS} s and`)
}

function headOf({ openapi, info, servers, security, tags }: JsonObject): JsonObject {
  return z.record(z.string(), z.json()).parse({ openapi, info, servers, security, tags })
}
