import { ProtocolError, ProtocolErrorCode, Server } from '@modelcontextprotocol/server'
import { inputSentence, ValidationError } from '@remit/engine/errors/input'
import * as z from 'zod'
import type { Caller, Pipeline } from '../../calls/pipeline.ts'
import { RateLimitedError } from '../../errors/access.ts'
import { MAX_JSON_DEPTH, type ParsedJson, parseJson } from '../http/readJson.ts'
import { fromText } from './readArguments.ts'

// What is done with JSON-RPC messages around the SDK: a posted body is read, an unfit `initialize` is found, each message is
// charged, and (in `CheckedServer`) the parameters of a request are checked.

/**
 * A posted body: its `value`, cut where it is nested too deep for the SDK's schemas, which are recursive, and its `flaw`, for which JSON that
 * can be read is refused all the same: it is nested too deep, or gives a name twice.
 */
export interface Posted extends ParsedJson {
  /** Every posted message, to be charged, including those dropped from `value`. A body that holds no message counts as one. */
  readonly messages: readonly unknown[]
}

/**
 * Reads a posted JSON-RPC message or batch. Throws ValidationError for what is no JSON; a flaw is returned, as its refusal needs the message's id.
 *
 * In a batch with requests, notifications are dropped. As nothing is remembered between HTTP requests, a notification could only act on
 * its own batch: "cancelled" would leave another message there without an answer.
 */
export function readPosted(text: string): Posted {
  const { value, flaw } = parseJson(text)
  const shallow = flaw === undefined ? value : prune(value, 0)
  if (!Array.isArray(shallow)) return { value: shallow, flaw, messages: [shallow] }
  const messages: unknown[] = shallow.length === 0 ? [shallow] : shallow
  const kept = shallow.some(isRequest) ? shallow.filter((item) => !isNotification(item)) : shallow
  return { value: kept, flaw, messages }
}

/** Cuts off what is nested too deep. The message is refused for that, but the answer needs its id. */
function prune(value: unknown, depth: number): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (depth === MAX_JSON_DEPTH) return null
  if (Array.isArray(value)) return value.map((item) => prune(item, depth + 1))
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, prune(item, depth + 1)]))
}

/** The method of a JSON-RPC message; `undefined` where it has none, as a response. */
export function methodOf(message: unknown): string | undefined {
  if (typeof message !== 'object' || message === null || !('method' in message)) return undefined
  return typeof message.method === 'string' ? message.method : undefined
}

/** The id of a JSON-RPC message; `null` where it has none that is valid. */
export function idOf(message: unknown): string | number | null {
  if (typeof message !== 'object' || message === null || !('id' in message)) return null
  return typeof message.id === 'string' || typeof message.id === 'number' ? message.id : null
}

/** The id of a message that asks for a tool and awaits an answer; `undefined` for any other. */
function callIdOf(message: unknown): string | number | undefined {
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
 * The first `initialize` among the messages whose parameters do not fit, and what is wrong with them. It is looked for before the SDK sees
 * the messages: that would answer an internal error.
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

/** As many messages as one batch may have, by the SDK's own limit. */
export const MAX_BATCH = 100

/**
 * Takes a unit of the minute's total for each message, before anything else is looked at in it. Throws RateLimitedError for
 * the whole request, unless all that cannot pay are calls of tools: these have results of their own.
 */
export async function chargeMessages(
  pipeline: Pick<Pipeline, 'chargeMessage'>,
  caller: Caller,
  messages: readonly unknown[],
): Promise<UnpaidCalls> {
  const charged = messages.slice(0, MAX_BATCH)
  // All at once, so that shared counters (Redis) decide them in one go.
  const outcomes = await Promise.allSettled(charged.map(() => pipeline.chargeMessage(caller)))
  const refusals = outcomes.filter((outcome) => outcome.status === 'rejected')
  const [first] = refusals
  if (first === undefined) return new UnpaidCalls(undefined, [])
  // Units are taken in the order of the messages, so of n refusals, whichever promises they came from, the last n messages are unpaid.
  const ids = charged.slice(charged.length - refusals.length).map(callIdOf)
  const isLimited = refusals.every(({ reason }) => reason instanceof RateLimitedError)
  if (!isLimited || ids.includes(undefined)) throw first.reason
  return new UnpaidCalls(first.reason, ids)
}

/**
 * The calls of tools in one request whose messages could not pay. The handler of a call asks `refusalOf`, and answers with a result that
 * says so. At the end `refuseUnasked` checks that the SDK handed each of them to a handler.
 */
export class UnpaidCalls {
  readonly #refusal: RateLimitedError | undefined
  readonly #ids: ReadonlySet<string | number | undefined>
  readonly #refused = new Set<string | number>()

  /** @param ids of more than one call of the same id, all are refused */
  constructor(refusal: RateLimitedError | undefined, ids: readonly (string | number | undefined)[]) {
    this.#refusal = refusal
    this.#ids = new Set(ids)
  }

  /** Why the call of this id is refused; `undefined` where it is paid for. */
  refusalOf(id: string | number): RateLimitedError | undefined {
    if (!this.#ids.has(id)) return undefined
    this.#refused.add(id)
    return this.#refusal
  }

  /** Throws RateLimitedError where `refusalOf` was never asked about one of them: the SDK has answered that call without its handler. */
  refuseUnasked(): void {
    if (this.#refusal !== undefined && this.#refused.size < this.#ids.size) throw this.#refusal
  }
}

const Texts = z.record(z.string(), z.string())
const List = z.object({ params: z.object({ cursor: z.string().optional() }).optional() })
const Reference = z.discriminatedUnion('type', [
  z.object({ type: z.literal('ref/prompt'), name: z.string() }),
  z.object({ type: z.literal('ref/resource'), uri: z.string() }),
])

/** The parameters that each method's handler relies on. The protocol's own schemas ask for no more. */
const REQUESTS: ReadonlyMap<string, z.ZodType> = new Map<string, z.ZodType>([
  ['tools/list', List],
  ['prompts/list', List],
  ['resources/list', List],
  ['resources/templates/list', List],
  ['resources/read', z.object({ params: z.object({ uri: z.string() }) })],
  ['prompts/get', z.object({ params: z.object({ name: z.string(), arguments: Texts.optional() }) })],
  [
    'completion/complete',
    z.object({
      params: z.object({
        ref: Reference,
        argument: z.object({ name: z.string(), value: z.string() }),
        context: z.object({ arguments: Texts.optional() }).optional(),
      }),
    }),
  ],
])

/** A call whose arguments are absent, or stand in one text, as some models write them. The SDK takes an object only. */
const ToolCall = z.object({
  params: z.looseObject({
    arguments: z.preprocess(
      (given) => (typeof given === 'string' ? fromText(given) : (given ?? {})),
      z.record(z.string(), z.unknown()),
    ),
  }),
})

/** Answers InvalidParams to parameters that do not fit. The SDK alone would answer an internal error. */
export class CheckedServer extends Server {
  protected override _wrapHandler(...[method, handler]: Parameters<Server['_wrapHandler']>) {
    const wrapped = super._wrapHandler(method, handler)
    const schema = REQUESTS.get(method)
    return async (...[request, context]: Parameters<typeof wrapped>) => {
      if (method === 'tools/call') return wrapped({ ...request, ...checked(ToolCall, request) }, context)
      if (schema !== undefined) checked(schema, request)
      return wrapped(request, context)
    }
  }
}

/** The request by its schema. Throws ProtocolError that says what does not fit. */
function checked<T extends z.ZodType>(schema: T, request: unknown): z.output<T> {
  const parsed = schema.safeParse(request, { error: inputSentence })
  if (parsed.success) return parsed.data
  const { message } = ValidationError.fromZod(parsed.error)
  throw new ProtocolError(ProtocolErrorCode.InvalidParams, message)
}
