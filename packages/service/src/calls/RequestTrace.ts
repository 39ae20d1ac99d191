import { AsyncLocalStorage } from 'node:async_hooks'
import { randomUUID } from 'node:crypto'
import type { RestRoute } from '@remit/engine/declare/operation'
import type { RemitError } from '@remit/engine/errors/base'
import { type ChainObserver, unobservedChains } from '@remit/engine/ports/nodes'
import type { Identity } from '../ports/access.ts'
import type { EndedRequest } from '../ports/telemetry.ts'

const running = new AsyncLocalStorage<RequestTrace>()

/** The trace of the request that is being answered; `undefined` in background work. */
export function currentTrace(): RequestTrace | undefined {
  return running.getStore()
}

/** An observer of chains that counts each question to a node for the request that runs, and sends that request's trace along. */
export function tracedChains(observer: ChainObserver = unobservedChains): ChainObserver {
  return {
    traceparent: () => currentTrace()?.traceparent,
    upstreamAsked(request) {
      currentTrace()?.askedUpstream()
      observer.upstreamAsked(request)
    },
    blockCacheAsked: (chainId, known) => observer.blockCacheAsked(chainId, known),
  }
}

/** What answered the request: an operation or a document. */
interface Called {
  readonly name: string
  readonly rest: RestRoute | null
}

/**
 * Collects what the request log and the metrics say about one request: caller, operation, cost, outcome.
 *
 * `createApp` makes one for each HTTP request and runs the request in it (`run`). What happens on the way is noted here by whoever does
 * it, through `currentTrace()`: it travels in an AsyncLocalStorage, because deep code (an RPC request, say) adds to it. At the end, `ended`
 * gives it all to the observers.
 */
export class RequestTrace {
  readonly requestId: string
  readonly #method: string | undefined
  readonly #context: TraceContext
  readonly #begun = performance.now()
  #surface: 'rest' | 'mcp' = 'rest'
  #signal: AbortSignal | undefined
  #identity: Identity | undefined
  #operation: Called | undefined
  #failure: RemitError | undefined
  #charged: readonly string[] = []
  #givenBack = false
  #upstreamRequests = 0
  #toolCalls = 0
  #isOver = false

  /**
   * @param options.traceparent the header of this name, whatever the caller has put into it
   * @param within the request, for the trace of a tool call in it
   */
  constructor(
    options: { method?: string; traceparent?: string | null | undefined } = {},
    within?: RequestTrace,
  ) {
    this.requestId = within?.requestId ?? randomUUID()
    this.#method = options.method
    if (within !== undefined) this.#context = within.#context
    else {
      const begun = { traceId: this.#hexId, parentId: undefined, flags: '00' }
      this.#context = readTraceparent(options.traceparent) ?? begun
    }
  }

  /**
   * The header that nodes are sent with what this request asks of them. `undefined` after its end: work that still runs then
   * belongs to no request.
   */
  get traceparent(): string | undefined {
    return this.#isOver ? undefined : writeTraceparent(this.#context, this.#hexId.slice(16))
  }

  /** The request id as hexadecimal digits. It is as random as the ids of a trace have to be. */
  get #hexId(): string {
    return this.requestId.replaceAll('-', '')
  }

  /** Runs the request's work, which finds this trace by `currentTrace()`. */
  run<T>(work: () => T): T {
    return running.run(this, work)
  }

  /** Begins the trace of a tool call within this request. It is logged as a request of its own. */
  toolCall(): RequestTrace {
    this.#toolCalls += 1
    const call = new RequestTrace(this.#method === undefined ? {} : { method: this.#method }, this)
    call.#surface = 'mcp'
    call.#identity = this.#identity
    call.#signal = this.#signal
    return call
  }

  /** Whether the request has made tool calls. Each of them is logged by itself, so the request is not logged once more. */
  get isToldByToolCalls(): boolean {
    return this.#toolCalls > 0
  }

  /** Notes the address, which identifies the caller where its credentials fail. @param address as limits use it */
  cameFrom(address: string): void {
    this.#identity ??= { lane: 'free', id: address }
  }

  /** Notes who the caller is, once it is identified. */
  entered(surface: 'rest' | 'mcp', identity: Identity, signal: AbortSignal | undefined): void {
    this.#surface = surface
    this.#identity = identity
    this.#signal = signal
  }

  /** Notes the operation or document that the request reached. */
  called(operation: Called): void {
    this.#operation = operation
  }

  /** Notes the error that the caller gets. */
  failed(error: RemitError): void {
    this.#failure = error
  }

  /** Notes the limits that units were taken from. Called again, it adds to them. */
  charged(buckets: readonly string[]): void {
    this.#charged = this.#charged.length === 0 ? buckets : [...this.#charged, ...buckets]
  }

  /** Notes that units were given back, after a failure that was not the caller's. */
  gaveBack(): void {
    this.#givenBack = true
  }

  askedUpstream(): void {
    this.#upstreamRequests += 1
  }

  /** Ends the trace, and says what it has collected. @param status default: the failure's, or 200 */
  ended(status = this.#failure?.status ?? 200): EndedRequest {
    this.#isOver = true
    const isTool = this.#surface === 'mcp'
    return {
      requestId: this.requestId,
      traceId: this.#context.traceId,
      parentId: this.#context.parentId,
      surface: this.#surface,
      lane: this.#identity?.lane ?? 'free',
      identity: this.#identity,
      operation: this.#operation?.name,
      method: this.#method,
      route: isTool ? '/mcp' : this.#operation?.rest?.path,
      status,
      code: this.#failure?.code,
      durationMs: performance.now() - this.#begun,
      upstreamRequests: this.#upstreamRequests,
      charged: this.#charged,
      givenBack: this.#givenBack,
      abandoned: this.#signal?.aborted ?? false,
    }
  }
}

/** A request's place in a trace that spans programs, as W3C's Trace Context has it. */
export interface TraceContext {
  /** 32 hex digits, the same in every program. */
  readonly traceId: string
  /** 16 hex digits: the span of the caller that sent the request. `undefined` where the trace begins here. */
  readonly parentId: string | undefined
  /** 2 hex digits: `01` where whoever began the trace records it. */
  readonly flags: string
}

const TRACEPARENT = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/
const SAMPLED = 1

/** Reads a `traceparent` header. Answers `undefined` where it is missing or not one: then a new trace is begun. */
export function readTraceparent(header: string | null | undefined): TraceContext | undefined {
  const [, version = '', traceId = '', parentId = '', flags = '', rest] = TRACEPARENT.exec(header ?? '') ?? []
  if (version === '' || version === 'ff' || (version === '00' && rest !== undefined)) return undefined
  if (/^0+$/.test(traceId) || /^0+$/.test(parentId)) return undefined
  // Only this bit is passed on: later versions may give the others a meaning that we do not know.
  return { traceId, parentId, flags: `0${Number.parseInt(flags, 16) & SAMPLED}` }
}

/** The `traceparent` header for what this request asks in turn. @param spanId 16 hex digits, of this request */
export function writeTraceparent({ traceId, flags }: TraceContext, spanId: string): string {
  return `00-${traceId}-${spanId}-${flags}`
}
