import { setTimeout as sleep } from 'node:timers/promises'
import * as z from 'zod'
import { CannotCompareError, type ComparedService, type ServiceAnswer } from './ComparedService.ts'
import { eventsUpTo } from './events.ts'
import { firstDifference, type ValueDifference } from './firstDifference.ts'
import {
  type Asked,
  daysFrom,
  firstQuestions,
  questionsAbout,
  type Subject,
  subjectsIn,
} from './questions.ts'

/** Where the services stand at different blocks, one question is asked again for so long. */
const SAME_BLOCK_WITHIN_MS = 120_000
const AGAIN_MS = 250

/** The first answer that the services do not give alike. */
export interface ServiceDifference extends ValueDifference {
  /** What was asked for. */
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
  /** How long to wait for both to stand at one block; default two minutes. */
  readonly sameBlockWithinMs?: number
}

const Positioned = z.object({
  asOf: z.object({ timestamp: z.number() }),
  index: z.object({ blockNumber: z.number() }),
})
const Page = z.object({ hasMore: z.literal(true), nextCursor: z.string() })
const Rows = z.looseObject({ timestamp: z.number().optional(), createdAt: z.number().optional() })

/**
 * Compares every history answer of two services of one chain, as far as a list, an account or an event leads to it, each
 * list to its end. Ends at the first difference. Throws CannotCompareError.
 *
 * Both may follow a chain that moves: what is read up to one block must be equal at once, and everything else when both
 * stand at the same block.
 */
export async function compareServices(options: Options): Promise<Comparison> {
  const asked = await whatIsAsked(options)
  const questions = firstQuestions(asked)
  const known = new Set(questions)
  const ask = (question: string) => {
    if (known.has(question)) return
    known.add(question)
    questions.push(question)
  }
  const meet = (subjects: readonly Subject[]) => {
    for (const subject of subjects) for (const question of questionsAbout(subject, asked)) ask(question)
  }

  let answers = 0
  let firstTime = Number.POSITIVE_INFINITY
  const compared = (found: ValueDifference | undefined, question: string) => {
    answers += 1
    options.onProgress(answers, questions.length - answers)
    return found && { answers, difference: { ...found, question } }
  }
  for (const question of questions) {
    const { answer, found } = await compareAnswers(question, options)
    const ended = compared(found, question)
    if (ended !== undefined) return ended
    meet(subjectsIn(answer.body))
    for (const time of timesIn(answer.body)) firstTime = Math.min(firstTime, time)
    const more = Page.safeParse(answer.body)
    if (more.success) ask(withCursor(question, more.data.nextCursor))
    // The days are known once all else is read.
    const isLast = answers === questions.length
    if (isLast && firstTime < Number.POSITIVE_INFINITY) meet(daysFrom(firstTime, asked))
  }

  const [one, other] = options.services
  const events = await Promise.all(
    [one, other].map((service) => eventsUpTo(asked.untilBlock, service, options)),
  )
  const ended = compared(firstDifference(events[0], events[1], 'events'), '/events')
  return ended ?? { answers, difference: undefined }
}

/** What both services have: neither is asked for more. */
async function whatIsAsked({ services, chainId, withKey }: Options): Promise<Asked> {
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

/** Asks both until their answers are equal, or were read at one block. */
async function compareAnswers(question: string, options: Options) {
  const { services, chainId, sameBlockWithinMs = SAME_BLOCK_WITHIN_MS } = options
  const [one, other] = services
  const path = onChain(question, chainId)
  const deadline = performance.now() + sameBlockWithinMs
  for (;;) {
    const [answer, second] = await Promise.all([one.get(path), other.get(path)])
    const found = firstDifference(comparable(answer), comparable(second))
    if (found === undefined || answer.blockHash === second.blockHash) return { answer, found }
    if (performance.now() > deadline) {
      // An error has no block, and it has lasted.
      if (answer.status !== second.status) return { answer, found }
      throw new CannotCompareError(
        `GET ${path}: the services never answered of the same block within ${Math.round(sameBlockWithinMs / 1_000)} s.`,
      )
    }
    await sleep(AGAIN_MS)
  }
}

/** An error's sentence may name what only one service knows. */
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
