import type { EventStreamRoute } from '@remit/engine/declare/operation'
import { ValidationError } from '@remit/engine/errors/input'
import { type EventLog, FINALITIES, type Finality } from '@remit/engine/ports/events'
import * as z from 'zod'
import type { Caller, Pipeline, RawCall } from '../../calls/pipeline.ts'
import type { Operation } from '../../calls/serviceOperation.ts'
import { RateLimitedError, UnauthorizedError } from '../../errors/access.ts'
import type { Credentials } from '../../ports/access.ts'
import { EventTail, SentPage } from './EventTail.ts'
import { type EventStreamOptions, eventStream } from './eventStream.ts'

const HEADERS = {
  'Content-Type': 'text/event-stream; charset=utf-8',
  'Cache-Control': 'no-store',
  // Some proxies would hold the first events back.
  'X-Accel-Buffering': 'no',
}

/** Rows of one page. One block rarely holds more events. What is left is read at once, without a wait. */
const PAGE_ROWS = 100

/** The fields of the list's input that a stream uses. The operation's own schema has checked them before. */
const Input = z.looseObject({
  subscriptionId: z.string().optional(),
  provider: z.string().optional(),
  account: z.string().optional(),
  type: z.string().optional(),
  finality: z.enum(FINALITIES).optional(),
  after: z.number().optional(),
})

export interface StreamRequest {
  readonly operation: Operation
  readonly route: EventStreamRoute
  readonly caller: Caller
  readonly credentials: Credentials
  readonly lastEventId: string | null
  readonly readCall: () => Promise<RawCall>
}

/** Opens streams of server-sent events for REST and MCP. All that wait at the end of one chain's log share its reads. */
export class EventStreams {
  readonly #log: EventLog
  readonly #pipeline: Pipeline
  readonly #times: EventStreamOptions['times']
  readonly #tails = new Map<string, EventTail>()

  constructor(options: { log: EventLog; pipeline: Pipeline; times?: EventStreamOptions['times'] }) {
    this.#log = options.log
    this.#pipeline = options.pipeline
    this.#times = options.times
  }

  /** Opens a stream, which costs what an expensive request costs. Throws what the list and `OpenStreams` throw. */
  async open(request: StreamRequest): Promise<{ body: ReadableStream<Uint8Array>; headers: typeof HEADERS }> {
    const { operation, route, caller, credentials } = request
    const leave = this.#pipeline.streams.open(caller.identity)
    try {
      let call: RawCall | undefined
      const buckets = ['expensive'] as const
      const priced: Operation = { ...operation, name: route.name, buckets, toolBuckets: buckets }
      // A read of one event checks and charges the request. Its answer is not needed.
      await this.#pipeline.call(caller, priced, async () => {
        call = await this.#firstRead(request)
        return call
      })
      if (call === undefined) throw new Error('a stream was opened before its request was read')
      const { chainId } = call
      const input = Input.parse(call.input)
      const { type, finality = 'seen', after = 0, ...filters } = input
      const body = eventStream({
        tail: this.#tailOf(operation, chainId, finality),
        after,
        filters: { ...filters, types: type?.split(',') },
        read: (from) => this.#read(operation, chainId, { ...input, after: from }),
        isAllowed: () => this.#isAllowed(credentials, caller),
        onEnd: leave,
        ...(this.#times && { times: this.#times }),
      })
      return { body, headers: HEADERS }
    } catch (error) {
      leave()
      throw error
    }
  }

  /** The call for one event after the place where the stream begins: `Last-Event-ID`, `after`, or else the end of the log. */
  async #firstRead({ readCall, lastEventId }: StreamRequest): Promise<RawCall> {
    const call = await readCall()
    const input = Input.safeParse(call.input)
    const given = z.record(z.string(), z.unknown()).parse(call.input)
    const unfit = ['first', 'wait'].find((name) => given[name] !== undefined)
    if (unfit !== undefined) throw ValidationError.of(unfit, 'has no meaning for a stream')
    if (lastEventId !== null) {
      if (!/^\d{1,15}$/.test(lastEventId)) {
        throw ValidationError.of('Last-Event-ID', 'must be the id of an event of this stream')
      }
      return { ...call, input: { ...given, after: Number(lastEventId), first: 1 } }
    }
    if (given.after !== undefined || !input.success) return { ...call, input: { ...given, first: 1 } }
    const after = await this.#log.end(call.chainId, input.data.finality ?? 'seen')
    return { ...call, input: { ...given, after, first: 1 } }
  }

  /** A page of the list, for a stream or a tail: nobody is charged for it. */
  async #read(operation: Operation, chainId: number, input: object): Promise<SentPage> {
    const { body } = await this.#pipeline.callForItself(operation, {
      chainId,
      input: { ...input, first: PAGE_ROWS },
    })
    return SentPage.parse(body)
  }

  /** Events are read once for all who wait at the end of a log. */
  #tailOf(operation: Operation, chainId: number, finality: Finality): EventTail {
    const key = `${chainId} ${finality}`
    const known = this.#tails.get(key)
    if (known !== undefined) return known
    const read = (after: number) => this.#read(operation, chainId, { after, finality })
    const end = () => this.#log.end(chainId, finality)
    const tail = new EventTail({ log: this.#log, chainId, end, read })
    this.#tails.set(key, tail)
    return tail
  }

  /** A key that was revoked, or has another lane by now, ends its streams. A key store that is away does not. */
  async #isAllowed(credentials: Credentials, { identity }: Caller): Promise<boolean> {
    try {
      // `entered` leaves out Basic Auth. It cannot change meanwhile, and an address with too many failures would be refused.
      const now = await this.#pipeline.identifyCaller('rest', credentials, undefined, 'entered')
      return now.identity.lane === identity.lane
    } catch (error) {
      // A revoked key is a 401, or a 429 where its address has used up its failures.
      return !(error instanceof UnauthorizedError || error instanceof RateLimitedError)
    }
  }
}
