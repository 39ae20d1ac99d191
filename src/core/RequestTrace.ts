import { AsyncLocalStorage } from 'node:async_hooks'
import { randomUUID } from 'node:crypto'
import type { RemitError } from '../errors/base.ts'
import type { RestRoute } from './operation.ts'
import type { Identity } from './ports/access.ts'
import type { EndedRequest } from './ports/telemetry.ts'
import { readTraceparent, type TraceContext, writeTraceparent } from './traceContext.ts'

const running = new AsyncLocalStorage<RequestTrace>()

/** The trace of the request that is being answered; `undefined` in background work. */
export function currentTrace(): RequestTrace | undefined {
  return running.getStore()
}

interface Called {
  readonly name: string
  readonly rest: RestRoute | null
}

/**
 * Collects what the request log and the metrics say about one request: caller, operation, cost, outcome.
 *
 * It travels in an AsyncLocalStorage, because deep code (an RPC request, say) adds to it.
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

  /** @param options.traceparent the header of this name, whatever the caller has put into it */
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

  /** The header for whom this request asks. `undefined` after its end: what still runs then is nobody's. */
  get traceparent(): string | undefined {
    return this.#isOver ? undefined : writeTraceparent(this.#context, this.#hexId.slice(16))
  }

  /** As random as the ids of a trace have to be. */
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

  /** Whether tool calls have reported everything already. */
  get isToldByToolCalls(): boolean {
    return this.#toolCalls > 0
  }

  /** Notes the address, which identifies the caller where its credentials fail. @param address as limits use it */
  cameFrom(address: string): void {
    this.#identity ??= { lane: 'free', id: address }
  }

  entered(surface: 'rest' | 'mcp', identity: Identity, signal: AbortSignal | undefined): void {
    this.#surface = surface
    this.#identity = identity
    this.#signal = signal
  }

  called(operation: Called): void {
    this.#operation = operation
  }

  failed(error: RemitError): void {
    this.#failure = error
  }

  charged(buckets: readonly string[]): void {
    this.#charged = this.#charged.length === 0 ? buckets : [...this.#charged, ...buckets]
  }

  gaveBack(): void {
    this.#givenBack = true
  }

  askedUpstream(): void {
    this.#upstreamRequests += 1
  }

  /** @param status default: the failure's, or 200 */
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
