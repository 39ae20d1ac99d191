import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { EVENT_TYPES, type EventType } from '@remit/engine/ports/events'
import { parseUrl } from '@remit/engine/schema/text'
import * as z from 'zod'
import { commandLine } from '../commandLine.ts'
import {
  CannotCompareError,
  type ComparedAt,
  ComparedService,
  daysFrom,
  firstQuestions,
  questionsAbout,
  type ServiceAnswer,
  type Subject,
  subjectsIn,
} from './questions.ts'

// The command `npm run subgraph-compare -w @remit/service`: first its command line, then the comparison, then how two answers and two
// lists of events are compared.

const HELP = `Do two services give the same history? One may read a subgraph, and the other the chain's logs.

  ${commandLine('subgraph-compare', '<URL> <URL>', 'subgraph-compare -w @remit/service')}

Asks both for everything that lists, accounts and events lead to, pages through every list, and stops at the first
difference. Forecasts are left out. Progress comes on standard error.

  --chain <id>   the chain, if it is not 8453
  --help         this text

REMIT_API_KEY is sent to both as a bearer. Without a key the free lane's limits are waited for, which may take hours.

Exit codes: 0 equal, 1 they differ, 2 they could not be compared.
`

/** Progress is told after so many answers. */
const TOLD_EACH = 100

class UsageError extends Error {
  override readonly name = 'UsageError'
}

/** Writes a sentence to standard error: standard output is for the result alone. */
const tell = (sentence: string) => void process.stderr.write(`${sentence}\n`)

function readArguments(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: { chain: { type: 'string', default: '8453' }, help: { type: 'boolean', short: 'h' } },
    })
  } catch (cause) {
    throw new UsageError('The options are --chain and --help.', { cause })
  }
}

function serviceAt(place: string, url: string | undefined, apiKey: string | undefined): ComparedService {
  const parsed = url === undefined ? undefined : parseUrl(url)
  if (url === undefined || parsed === undefined || !/^https?:$/.test(parsed.protocol)) {
    throw new UsageError('Name two services by http or https URLs.')
  }
  if (parsed.username !== '' || parsed.search !== '' || parsed.hash !== '') {
    throw new UsageError('A URL of a service has no user, no query and no fragment.')
  }
  return new ComparedService({ place, url, apiKey, onWait: tell })
}

function textOf({ question, path, one, other }: ServiceDifference): string {
  const value = (of: unknown) => (of === undefined ? 'nothing' : JSON.stringify(of))
  return `They differ: GET ${question}, at ${path}:\n  the first:  ${value(one)}\n  the second: ${value(other)}\n`
}

async function run(args: readonly string[], environment: NodeJS.ProcessEnv): Promise<number> {
  const { values, positionals } = readArguments(args)
  if (values.help) {
    process.stdout.write(HELP)
    return 0
  }
  if (!/^\d{1,15}$/.test(values.chain)) throw new UsageError('--chain must be a whole number.')
  const [first, second, ...others] = positionals
  if (others.length > 0) throw new UsageError('Name two services, and no more.')
  const apiKey = environment.REMIT_API_KEY || undefined
  const { answers, difference } = await compareServices({
    services: [serviceAt('first', first, apiKey), serviceAt('second', second, apiKey)],
    chainId: Number(values.chain),
    withKey: apiKey !== undefined,
    onProgress(done, left) {
      if (done % TOLD_EACH === 0) tell(`${done} answers are equal, ${left} or more are left.`)
    },
  })
  process.stdout.write(difference === undefined ? `All ${answers} answers are equal.\n` : textOf(difference))
  return difference === undefined ? 0 : 1
}

/** `npm run subgraph-compare -w @remit/service` */
export async function main(args: readonly string[]): Promise<void> {
  try {
    process.exitCode = await run(args, process.env)
  } catch (error) {
    const isOurs = error instanceof UsageError || error instanceof CannotCompareError
    tell(isOurs ? error.message : String(error instanceof Error ? error.stack : error))
    process.exitCode = 2
  }
}

/** For how long one question is asked again while the services answer it differently, and of different blocks. */
const SAME_BLOCK_WITHIN_MS = 120_000
/** The pause between two of these. */
const AGAIN_MS = 250

/** The first answer that the services do not give alike. */
export interface ServiceDifference extends ValueDifference {
  /** The path of the API that was asked, without the chain. */
  readonly question: string
}

interface Comparison {
  /** How many answers were compared, the last one included. */
  readonly answers: number
  readonly difference: ServiceDifference | undefined
}

interface Options {
  readonly services: readonly [ComparedService, ComparedService]
  readonly chainId: number
  readonly withKey: boolean
  /** Is told after each answer how many were compared, and how many are known to be left. */
  readonly onProgress: (done: number, left: number) => void
}

/** What an answer says of where its service stands: the time of the chain's head, and the block of the index. */
const Positioned = z.object({
  asOf: z.object({ timestamp: z.number() }),
  index: z.object({ blockNumber: z.number() }),
})
const Page = z.object({ hasMore: z.literal(true), nextCursor: z.string() })
const Rows = z.looseObject({ timestamp: z.number().optional(), createdAt: z.number().optional() })

/**
 * Compares every history answer of two services of one chain, as far as other answers name what it is about, and each list to its end.
 * Ends at the first difference. Throws CannotCompareError.
 *
 * It begins with a few questions (`firstQuestions`). Each answer names subscriptions, accounts, payments and so on, whose questions are
 * added to the list (`subjectsIn`, `questionsAbout`), until none is new. Then the days on which something may be due, then the events.
 *
 * Both may follow a chain that moves. Lists that are asked up to one block must be equal at once, everything else once both answer of
 * the same block.
 */
export async function compareServices(options: Options): Promise<Comparison> {
  const asked = await whatIsAsked(options)
  const questions = firstQuestions(asked)
  const known = new Set(questions)
  // Questions are added while the loop below goes through them: every answer names subjects to ask about.
  const ask = (question: string) => {
    if (known.has(question)) return
    known.add(question)
    questions.push(question)
  }
  const askAbout = (subjects: readonly Subject[]) => {
    for (const subject of subjects) for (const question of questionsAbout(subject, asked)) ask(question)
  }

  let answers = 0
  let firstTime = Number.POSITIVE_INFINITY
  /** Counts an answer. @returns the end of the comparison, if the answers differ */
  const compared = (found: ValueDifference | undefined, question: string) => {
    answers += 1
    options.onProgress(answers, questions.length - answers)
    return found && { answers, difference: { ...found, question } }
  }
  for (const question of questions) {
    const { answer, found } = await compareAnswers(question, options)
    const ended = compared(found, question)
    if (ended !== undefined) return ended
    askAbout(subjectsIn(answer.body))
    for (const time of timesIn(answer.body)) firstTime = Math.min(firstTime, time)
    const more = Page.safeParse(answer.body)
    if (more.success) ask(withCursor(question, more.data.nextCursor))
    // Days are asked about last, from the earliest time in any answer on. They add questions, so the loop goes on.
    const isLast = answers === questions.length
    if (isLast && firstTime < Number.POSITIVE_INFINITY) askAbout(daysFrom(firstTime, asked))
  }

  const [one, other] = options.services
  const events = await Promise.all(
    [one, other].map((service) => eventsUpTo(asked.untilBlock, service, options)),
  )
  const ended = compared(firstDifference(events[0], events[1], 'events'), '/events')
  return ended ?? { answers, difference: undefined }
}

/** Up to where both services can be asked: the older of their two blocks, and the earlier of their two days. */
async function whatIsAsked({ services, chainId, withKey }: Options): Promise<ComparedAt> {
  const positions = await Promise.all(
    services.map(async (service) => {
      const question = onChain('/subscriptions?first=1', chainId)
      const { status, body } = await service.get(question)
      const position = Positioned.safeParse(body)
      if (position.success) return position.data
      throw new CannotCompareError(
        `GET ${question}: ${service.name} answers with HTTP ${status} and no position of its index.`,
      )
    }),
  )
  return {
    untilBlock: Math.min(...positions.map(({ index }) => index.blockNumber)),
    today: Math.floor(Math.min(...positions.map(({ asOf }) => asOf.timestamp)) / 86_400),
    withKey,
  }
}

/** Asks both until their answers are equal, or differ although both are of the same block. Throws CannotCompareError after a while. */
async function compareAnswers(question: string, options: Options) {
  const { services, chainId } = options
  const [one, other] = services
  const path = onChain(question, chainId)
  const deadline = performance.now() + SAME_BLOCK_WITHIN_MS
  for (;;) {
    const [answer, second] = await Promise.all([one.get(path), other.get(path)])
    const found = firstDifference(comparable(answer), comparable(second))
    if (found === undefined || answer.blockHash === second.blockHash) return { answer, found }
    if (performance.now() > deadline) {
      // One answers an error, which names no block, and has done so all that time: this is a difference.
      if (answer.status !== second.status) return { answer, found }
      throw new CannotCompareError(
        `GET ${path}: the services never answered of the same block within ${Math.round(SAME_BLOCK_WITHIN_MS / 1_000)} s.`,
      )
    }
    await sleep(AGAIN_MS)
  }
}

/** What is compared of an answer. Of an error only the code: its sentence may name what only one service knows. */
function comparable({ status, body }: ServiceAnswer) {
  return status === 200 ? { status, ...body } : { status, code: body.code }
}

function onChain(question: string, chainId: number): string {
  return `${question}${question.includes('?') ? '&' : '?'}chainId=${chainId}`
}

function withCursor(question: string, cursor: string): string {
  const [path = '', query = ''] = question.split('?')
  const parameters = new URLSearchParams(query)
  parameters.set('after', cursor)
  return `${path}?${parameters}`
}

/** Every time of an event in an answer, in unix seconds. */
function timesIn(value: unknown): number[] {
  if (Array.isArray(value)) return value.flatMap(timesIn)
  const rows = Rows.safeParse(value)
  if (!rows.success) return []
  const { timestamp, createdAt, ...rest } = rows.data
  return [timestamp, createdAt].flatMap((time) => time ?? []).concat(Object.values(rest).flatMap(timesIn))
}

/** Types of events that depend on when a service looked, or on which reorganisations it saw. */
const OF_THE_SERVICE: readonly EventType[] = [
  'token.paused',
  'token.resumed',
  'remit.behind',
  'coverage.ending',
  'payment.at_risk',
  'payment.safe_again',
  'retracted',
]

/** Events that logs alone decide. A log that is asked for these also gives each `retracted` that took one of them back. */
const TYPES = EVENT_TYPES.filter((type) => !OF_THE_SERVICE.includes(type))

const Event = z.looseObject({
  id: z.string(),
  type: z.string(),
  block: z.looseObject({ number: z.number() }),
  logIndex: z.number().nullable(),
  data: z.looseObject({ ids: z.array(z.string()).optional() }),
})
type Event = z.output<typeof Event>

const EventPage = z.object({ events: z.array(Event), hasMore: z.boolean(), next: z.number() })

/** All events of a service up to a block, without those that a reorganisation took back, in the order of the chain. */
async function eventsUpTo(
  block: number,
  service: ComparedService,
  { chainId }: { readonly chainId: number },
): Promise<Event[]> {
  const byId = new Map<string, Event>()
  for (let after = 0; ; ) {
    const path = `/events?type=${TYPES.join(',')}&first=100&after=${after}&chainId=${chainId}`
    const { status, body } = await service.get(path)
    const page = EventPage.safeParse(body)
    if (!page.success)
      throw new CannotCompareError(`GET ${path}: ${service.name} answers with HTTP ${status}.`)
    for (const event of page.data.events) {
      if (event.type === 'retracted') for (const id of event.data.ids ?? []) byId.delete(id)
      else byId.set(event.id, event)
    }
    if (!page.data.hasMore) break
    after = page.data.next
  }
  return [...byId.values()].filter((event) => event.block.number <= block).sort(inOrder)
}

function inOrder(a: Event, b: Event): number {
  const byPlace = a.block.number - b.block.number || (a.logIndex ?? -1) - (b.logIndex ?? -1)
  return byPlace !== 0 ? byPlace : a.id < b.id ? -1 : 1
}

/** Where two values differ, and how. A value that is missing is `undefined`. */
interface ValueDifference {
  /** Such as `events[3].amount`; empty for the whole. */
  readonly path: string
  readonly one: unknown
  readonly other: unknown
}

/**
 * What depends on when a service was asked, and on what it had learnt by then: the request's id, the position of its head,
 * its index and its log, and how final it knows a block to be.
 */
const OWN_FIELDS = new Set(['requestId', 'asOf', 'index', 'sequence', 'finality', 'finalized'])

/** The first place, in the order of the first value's fields, where two JSON values differ; `undefined` if none does. */
function firstDifference(one: unknown, other: unknown, path = ''): ValueDifference | undefined {
  if (!isObject(one) || !isObject(other) || Array.isArray(one) !== Array.isArray(other)) {
    return Object.is(one, other) ? undefined : { path, one, other }
  }
  const [left, right] = [new Map(Object.entries(one)), new Map(Object.entries(other))]
  for (const name of new Set([...left.keys(), ...right.keys()])) {
    if (OWN_FIELDS.has(name)) continue
    const found = firstDifference(left.get(name), right.get(name), pathTo(path, name, Array.isArray(one)))
    if (found !== undefined) return found
  }
  return undefined
}

function pathTo(path: string, name: string, isArray: boolean): string {
  if (isArray) return `${path}[${name}]`
  return path === '' ? name : `${path}.${name}`
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}
