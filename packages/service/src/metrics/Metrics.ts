import type { ChainObserver, UpstreamRequest } from '@remit/engine/ports/nodes'
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import type { EndedRequest, LimiterDecision, LimiterObserver, RequestObserver } from '../ports/telemetry.ts'

/** The label of requests that reached no operation. They share one, because callers can invent any path. */
const NO_OPERATION = 'none'
/** The label of a decision of the limiter that is about no limit: nothing was taken, or the counters failed. */
const NO_BUCKET = 'none'

/** The names of the limits that the label `bucket` may have. All others are counted as `other`. */
const KNOWN_BUCKETS = new Set([
  'globalRpm',
  'expensiveRpm',
  'subgraphDaily',
  'writeRpm',
  'writeDaily',
  'dailyTotalRequests',
  'authFailures',
])

// Upper ends of the histograms' classes, in seconds.
const REQUEST_SECONDS = [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]
const UPSTREAM_SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]
const LIMITER_SECONDS = [0.00001, 0.00005, 0.0001, 0.0005, 0.001, 0.005, 0.025, 0.1, 0.5]

/**
 * The metrics for Prometheus that are counted while things happen. Those that are read from the state when Prometheus asks are in
 * `stateGauges.ts`. Callers cannot choose the value of any label.
 */
export class Metrics implements RequestObserver, ChainObserver, LimiterObserver {
  readonly registry = new Registry()
  readonly #requests = this.#counter('remit_requests_total', 'Requests and tool calls answered', [
    'surface',
    'operation',
    'status',
    'lane',
  ])
  readonly #requestSeconds = this.#histogram(
    'remit_request_duration_seconds',
    'From the request until its answer is made',
    ['operation'],
    REQUEST_SECONDS,
  )
  // The label `endpoint` is the place of the URL in the chain's list, from 1: the URL itself may hold a key.
  readonly #upstream = this.#counter(
    'remit_upstream_requests_total',
    'Questions to an RPC URL, by its place in the chain’s list',
    ['chain', 'endpoint'],
  )
  readonly #upstreamFailures = this.#counter(
    'remit_upstream_failures_total',
    'Questions to an RPC URL that got no usable answer',
    ['chain', 'endpoint', 'kind'],
  )
  readonly #upstreamSeconds = this.#histogram(
    'remit_upstream_duration_seconds',
    'Until an RPC URL answered or failed',
    ['chain'],
    UPSTREAM_SECONDS,
  )
  readonly #blockCache = this.#counter('remit_block_cache_reads_total', 'Reads of what is known of a block', [
    'chain',
    'result',
  ])
  readonly #limiter = this.#counter('remit_limiter_decisions_total', 'What the limiter decided, by bucket', [
    'lane',
    'bucket',
    'outcome',
  ])
  readonly #limiterSeconds = this.#histogram(
    'remit_limiter_duration_seconds',
    'Until the limiter decided',
    ['outcome'],
    LIMITER_SECONDS,
  )

  /** @param version of the service */
  constructor(version: string) {
    collectDefaultMetrics({ register: this.registry })
    new Gauge({
      name: 'remit_build_info',
      help: 'Always 1',
      labelNames: ['version'],
      registers: [this.registry],
    }).set({ version }, 1)
  }

  requestEnded({ surface, operation = NO_OPERATION, status, lane, durationMs }: EndedRequest): void {
    this.#requests.inc({ surface, operation, status, lane })
    this.#requestSeconds.observe({ operation }, durationMs / 1_000)
  }

  upstreamAsked({ chainId: chain, endpoint, failure, durationMs }: UpstreamRequest): void {
    this.#upstream.inc({ chain, endpoint })
    if (failure !== undefined) this.#upstreamFailures.inc({ chain, endpoint, kind: failure })
    this.#upstreamSeconds.observe({ chain }, durationMs / 1_000)
  }

  blockCacheAsked(chain: number, known: boolean): void {
    this.#blockCache.inc({ chain, result: known ? 'hit' : 'miss' })
  }

  limiterDecided({ lane, outcome, buckets, durationMs }: LimiterDecision): void {
    const named = buckets.length === 0 ? [NO_BUCKET] : buckets
    for (const bucket of named) {
      const known = bucket === NO_BUCKET || KNOWN_BUCKETS.has(bucket) ? bucket : 'other'
      this.#limiter.inc({ lane, bucket: known, outcome })
    }
    this.#limiterSeconds.observe({ outcome }, durationMs / 1_000)
  }

  #counter<Label extends string>(name: string, help: string, labelNames: Label[]): Counter<Label> {
    return new Counter({ name, help, labelNames, registers: [this.registry] })
  }

  #histogram<Label extends string>(
    name: string,
    help: string,
    labelNames: Label[],
    buckets: number[],
  ): Histogram<Label> {
    return new Histogram({ name, help, labelNames, buckets, registers: [this.registry] })
  }
}
