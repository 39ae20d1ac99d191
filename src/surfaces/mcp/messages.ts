import * as z from 'zod'
import { inputSentence, ValidationError } from '../../errors/input.ts'
import { MAX_JSON_DEPTH, type ParsedJson, parseJson } from '../http/readJson.ts'

/** A posted body, made safe for the protocol's own recursive schemas. */
export interface Posted extends ParsedJson {
  /** Every message as it was posted, also those that `value` is without. At least one: what is no message at all is one. */
  readonly messages: readonly unknown[]
}

/**
 * Reads a posted JSON-RPC message or batch. Throws ValidationError for what is no JSON.
 *
 * Stateless serving has nothing for a notification to act on but the other messages of its batch, where
 * "cancelled" would leave a request without an answer: notifications beside requests are dropped.
 */
export function readPosted(text: string): Posted {
  const { value, flaw } = parseJson(text)
  const shallow = flaw === undefined ? value : prune(value, 0)
  if (!Array.isArray(shallow)) return { value: shallow, flaw, messages: [shallow] }
  const messages: unknown[] = shallow.length === 0 ? [shallow] : shallow
  const kept = shallow.some(isRequest) ? shallow.filter((item) => !isNotification(item)) : shallow
  return { value: kept, flaw, messages }
}

/** Cuts off what is nested too deep: its message is refused anyway, by an answer that needs the id. */
function prune(value: unknown, depth: number): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (depth === MAX_JSON_DEPTH) return null
  if (Array.isArray(value)) return value.map((item) => prune(item, depth + 1))
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, prune(item, depth + 1)]))
}

export function methodOf(message: unknown): string | undefined {
  if (typeof message !== 'object' || message === null || !('method' in message)) return undefined
  return typeof message.method === 'string' ? message.method : undefined
}

export function idOf(message: unknown): string | number | null {
  if (typeof message !== 'object' || message === null || !('id' in message)) return null
  return typeof message.id === 'string' || typeof message.id === 'number' ? message.id : null
}

/** The id of a message that asks for a tool and awaits an answer; `undefined` for any other. */
export function callIdOf(message: unknown): string | number | undefined {
  return methodOf(message) === 'tools/call' ? (idOf(message) ?? undefined) : undefined
}

const Initialize = z.object({
  params: z.object({
    protocolVersion: z.string(),
    capabilities: z.looseObject({}),
    clientInfo: z.looseObject({ name: z.string(), version: z.string() }),
  }),
})

/** Since this version of the protocol there is no `initialize`: the SDK answers that no such method exists. */
const FIRST_WITHOUT_INITIALIZE = '2026-07-28'

/**
 * The first `initialize` among the messages whose parameters do not fit, and what is wrong with them.
 * @param version the protocol's, as the request names it
 */
export function unfitInitialize(
  posted: unknown,
  version: string | null,
): { message: string; id: string | number | null } | undefined {
  if (version !== null && version >= FIRST_WITHOUT_INITIALIZE) return undefined
  const messages: unknown[] = Array.isArray(posted) ? posted : [posted]
  for (const message of messages) {
    if (methodOf(message) !== 'initialize') continue
    const parsed = Initialize.safeParse(message, { error: inputSentence })
    if (!parsed.success) return { message: ValidationError.fromZod(parsed.error).message, id: idOf(message) }
  }
  return undefined
}

function isRequest(message: unknown): boolean {
  return methodOf(message) !== undefined && !isNotification(message)
}

function isNotification(message: unknown): boolean {
  return (
    methodOf(message) !== undefined && typeof message === 'object' && message !== null && !('id' in message)
  )
}
