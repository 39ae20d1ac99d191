import { defineOperation } from '@remit/engine/declare/operation'
import { ValidationError } from '@remit/engine/errors/input'
import {
  EVENT_TYPES,
  type EventLog,
  type EventQuery,
  type EventType,
  FINALITIES,
} from '@remit/engine/ports/events'
import { Event, eventText, eventTokens, toEvent } from '@remit/engine/presentation/event'
import { pageText } from '@remit/engine/presentation/subscriptionText'
import { Address, SubscriptionId } from '@remit/engine/schema/hex'
import { Deadline } from '@remit/engine/waiting/Deadline'
import * as z from 'zod'
import { TooManyStreamsError } from '../errors/http.ts'

// The log of a chain's events, in three ways: a page of it (`GET /events`), the same after a wait where there is none yet (`wait`, a long
// poll), and as server-sent events (`stream`; `surfaces/stream/` sends them).

const PAGE = { default: 25, max: 100 }
/** The longest wait for an event: proxies give up on a silent request after 60 s, some after 30 s. */
const MOST_WAIT_SECONDS = 30

const isType = (text: string): text is EventType => EVENT_TYPES.some((type) => type === text)

const Types = z
  .string()
  .min(1)
  .max(400)
  .transform((text) => text.split(','))
  .refine((types): types is EventType[] => types.every(isType), {
    error: `must be one or more of ${EVENT_TYPES.join(', ')}, with commas between`,
  })
  .describe(
    'Only these types, with commas between, such as "payment.at_risk,payment.failed". What a reorganisation took back of ' +
      'them comes too.',
  )

const input = z.object({
  subscriptionId: SubscriptionId.optional().describe('Only events of this subscription.'),
  provider: Address.optional().describe('Only events of this provider and its subscriptions.'),
  account: Address.optional().describe('Only events of this subscriber.'),
  type: Types.optional(),
  finality: z
    .enum(FINALITIES)
    .optional()
    .describe(
      'How sure an event must be: seen (default) tells at once, and later what was taken back; confirmed waits for ten ' +
        'blocks; final for blocks that cannot be replaced.',
    ),
  after: z
    .int()
    .min(0)
    .optional()
    .describe('The `next` of the page before. Default 0: from the beginning of the log.'),
  first: z
    .int()
    .min(1)
    .max(PAGE.max)
    .optional()
    .describe(`How many events: default ${PAGE.default}, at most ${PAGE.max}.`),
  wait: z
    .int()
    .min(0)
    .max(MOST_WAIT_SECONDS)
    .optional()
    .describe(
      `Wait up to so many seconds, at most ${MOST_WAIT_SECONDS}, if there is nothing yet. It takes from the limit of expensive requests.`,
    ),
})

/** The input as the log is asked: with the defaults filled in. */
function queryOf(given: z.output<typeof input>): EventQuery {
  const { subscriptionId, provider, account, type: types } = given
  return {
    after: given.after ?? 0,
    first: given.first ?? PAGE.default,
    filters: { subscriptionId, provider, account, types },
    finality: given.finality ?? 'seen',
  }
}

/** What happened, in the order in which this service learnt of it. */
export const listEvents = defineOperation({
  name: 'list_events',
  effect: 'read',
  kind: 'chain',
  summary: 'What happened, and what is about to: payments, failures, members, risks, oldest first',
  description:
    'One log for each chain, which only grows: ask again with `after` set to `next`, and nothing is missed or told twice. ' +
    'A page can have fewer events than `first`, or none, and still say `hasMore`. What a reorganisation took back is named by ' +
    'a `retracted` event.',
  access: 'events',
  rest: { method: 'GET', path: '/events' },
  tool: {
    profiles: ['read', 'provider'],
    text: ({ events, next, hasMore }) =>
      pageText('Events, oldest first', events.map(eventText), {
        hasMore,
        nextCursor: String(next),
      }),
  },
  errors: [TooManyStreamsError],
  input,
  output: z.object({
    events: z.array(Event),
    count: z.int().min(0).describe('Events on this page.'),
    hasMore: z.boolean().describe('Whether there is more after `next` already.'),
    next: z.int().min(0).describe('Where to go on: the `after` of the next page.'),
    last: z.int().min(0).describe('The newest sequence of the whole log.'),
  }),
  stream: {
    name: 'stream_events',
    path: '/events/stream',
    summary: 'The same as server-sent events, as they come',
    description:
      'Begins after `Last-Event-ID`, or `after`; without both with what comes next. Each event has its sequence as its id, so ' +
      'a client that reconnects misses nothing. A stream lasts an hour at most and ends with an `end` event that says why, ' +
      'and where to go on. By default a caller has one at a time on the free lane, ten with a key.',
    // Called before a page is read: the wait of a long poll (`GET /events?wait=…`). A stream itself takes no `wait`.
    async until({ input: given, chainId, events, streams, signal }) {
      const { wait = 0 } = given
      if (wait === 0) return
      const leave = streams.wait()
      await untilThereIsOne(events, chainId, queryOf(given), wait * 1_000, signal).finally(leave)
    },
  },
  async query({ input: given, history }) {
    const query = queryOf(given)
    const { sequence } = await history.logState()
    if (query.after > sequence) {
      throw ValidationError.of(
        'after',
        `is beyond the end of this log, which is ${sequence}: it belongs to another service or chain`,
      )
    }
    return { page: await history.loggedEvents(query), last: sequence }
  },
  async handle({ chain, rows: { page, last } }) {
    const tokens = await chain.read.lastingTokens(eventTokens(page.events))
    return {
      events: page.events.map((event) => toEvent(event, tokens)),
      count: page.events.length,
      hasMore: page.hasMore,
      next: page.next,
      last,
    }
  },
})

/** The wait of a long poll. Returns when there is an event that the query would give, when time is up, or when the caller is gone. */
async function untilThereIsOne(
  log: EventLog,
  chainId: number,
  query: EventQuery,
  ms: number,
  callerGone: AbortSignal | undefined,
): Promise<void> {
  const deadline = new Deadline(ms, callerGone)
  const { signal } = deadline
  let { after } = query
  try {
    while (!signal.aborted) {
      // Before the page is read: what is logged in between ends the wait below at once.
      const seen = await log.state(chainId)
      // `after` is beyond the log's end, which the query refuses: there is no use in waiting for that.
      if (seen !== undefined && after > seen.sequence) return
      // Each turn goes on where the last one ended, so that events which the filters leave out are looked at once.
      const page = await log.read(chainId, { ...query, after, first: 1 })
      if (page.events.length > 0) return
      after = page.next
      if (!page.hasMore && !(await log.waitFor(chainId, seen, signal))) return
    }
  } finally {
    deadline.drop()
  }
}
