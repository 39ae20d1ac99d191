import { LRUCache } from 'lru-cache'
import type * as z from 'zod'
import { SubscriptionNotFoundError, ViewFailedError } from '../errors/chain.ts'
import { IndexUnavailableError } from '../errors/history.ts'
import { BlockGoneError, type ChainsPort, type ChainView, type Moment } from '../ports/chains.ts'
import type { EventLog } from '../ports/events.ts'
import type { HistoryPort, Indexed, IndexedAt } from '../ports/history.ts'
import type { IndexPosition } from '../schema/envelope.ts'
import { type Answer, type Asked, toAnswer } from './codec.ts'
import type { AskIndex, CallContext, ChainContext, PrepareContext } from './contexts.ts'
import type { ChainOperation, Waits, Way } from './operation.ts'

/** A call of an operation that reads a chain, and what its answer is made from. */
export interface ChainCall {
  readonly chains: ChainsPort
  readonly history: HistoryPort
  readonly events: EventLog
  readonly streams: Waits
  readonly operation: ChainOperation
  readonly chainId: number
  /** As JSON, for what is answered in another thread. */
  readonly input: unknown
  readonly asked: Asked
  readonly options: { readonly minBlock?: number; readonly signal?: AbortSignal }
  readonly context: CallContext
  readonly answers: BlockAnswers
}

type AnyWay = Way<z.ZodObject, z.ZodObject, unknown>

/** The answer of an operation that reads a chain: at which block it is made, with which rows, and whether it is kept. */
export async function answerOnChain(call: ChainCall): Promise<Answer> {
  const { declaration } = call.operation
  if (declaration.kind === 'chain' && declaration.query !== undefined) return fromIndex(call, declaration)
  if (declaration.kind === 'chain') return fromChain(call, declaration, declaration.fromIndex)
  const { chains, chainId, options, operation, input, asked, context } = call
  const { requestId } = context
  return chains.withView(chainId, options, async (chain) =>
    operation.apart && chain.apart !== undefined
      ? toAnswer(operation, await chain.apart({ operation: operation.name, input, requestId }))
      : prepareAt({ requestId, chain }, operation, asked),
  )
}

/** Answers a prepare at one view. */
export async function prepareAt(
  context: PrepareContext,
  operation: ChainOperation,
  { input }: Pick<Asked, 'input'>,
): Promise<Answer> {
  const { declaration, name } = operation
  if (declaration.kind !== 'prepare') throw new RangeError(`${name} is no prepare`)
  const result = await declaration.handle({ ...context, input })
  return toAnswer(operation, { ...result, ...blockOf(context.chain) })
}

/** Answers at the chain's head. Where the contract's view cannot be read, answers from the index if declared so. */
async function fromChain(call: ChainCall, way: AnyWay, instead: AnyWay | undefined): Promise<Answer> {
  const { chains, chainId, options, answers, operation, asked } = call
  const question = way.atBlock && asked.question
  const place = `chain ${chainId}`
  if (question !== undefined) {
    // An answer that was made at the present head needs neither a view nor the caller's signal.
    const seen = chains.seen(chainId, options)
    const known = seen && answers.find(place, chainMoment(seen), question)
    if (known !== undefined) return known
  }
  try {
    return await chains.withView(chainId, options, (chain) => {
      const make = () => makeAt(contextAt(chain, call), operation, way, asked)
      if (question === undefined) return make()
      const moment = chainMoment({ blockHash: chain.asOf.blockHash, today: chain.today })
      return answers.get(place, moment, question, make)
    })
  } catch (error) {
    if (instead === undefined || !(error instanceof ViewFailedError)) throw error
    return await fromIndex(call, instead).catch((second: unknown) => {
      // Where the index fails too, the caller is told about the view.
      throw second instanceof IndexUnavailableError ? error : second
    })
  }
}

function chainMoment({ blockHash, today }: Moment): string {
  return `${blockHash} ${today}`
}

/** Answers with rows of the index and reads the chain at the index's block, so that both agree. */
async function fromIndex(call: ChainCall, way: AnyWay): Promise<Answer> {
  const { chains, events, streams, chainId, options, asked, operation } = call
  // The index of a misconfigured chain is empty, or holds another contract's past.
  chains.throwIfMisconfigured(chainId)
  const { declaration } = operation
  if (declaration.kind === 'chain') {
    await declaration.stream?.until({ input: asked.input, chainId, events, streams, signal: options.signal })
  }
  const stand = standOf(call, way)
  let indexed = await stand().catch(noIndex(operation))
  // A second try, where the block of the index has just been reorganised away, or the index has moved.
  for (let attempt = 0; attempt < 2 && !(indexed instanceof IndexUnavailableError); attempt += 1) {
    const { at, known, run } = indexed
    if (known !== undefined) return known
    try {
      return await chains.withView(chainId, { ...options, block: at.block }, run)
    } catch (error) {
      // Existence is decided on chain. The index's block may be older than the subscription, or than the contract.
      const isTooEarly = error instanceof ViewFailedError && !at.position.synced
      if (error instanceof SubscriptionNotFoundError || isTooEarly) return atHead(call, way, indexed)
      if (!(error instanceof BlockGoneError || error instanceof IndexUnavailableError)) throw error
    }
    indexed = await stand(true).catch(noIndex(operation))
  }
  return atHead(call, way, indexed)
}

/** Where the index stands, and how to answer at that block. */
interface Standing {
  readonly at: IndexedAt
  /** The answer, if it is kept already. */
  readonly known?: Answer | undefined
  readonly run: (chain: ChainView) => Promise<Answer>
  readonly rows: () => Promise<Indexed<unknown>>
}

/** Reads where the index stands: with its rows, or without them where the answer may be kept already. */
function standOf(call: ChainCall, way: AnyWay): (isAgain?: boolean) => Promise<Standing> {
  const { chains, history, chainId, options, context, answers, operation, asked } = call
  const { input } = asked
  const question = way.atBlock && asked.question
  const { lane, subject } = context
  const seenDay = () => chains.seen(chainId, {})?.today
  const readRows = () =>
    history.snapshot(chainId, options, async (queries) => {
      // A chain without blocks for days is in a later day than its index.
      const today = seenDay() ?? queries.indexDay
      return way.query?.({ input, lane, subject, today, history: queries })
    })
  const make = (chain: ChainView, indexed: Indexed<unknown>) =>
    makeAt(contextAt(chain, call), operation, way, asked, indexed)
  if (question === undefined) {
    return async () => {
      const at = await readRows()
      return { at, run: (chain) => make(chain, at), rows: async () => at }
    }
  }
  const place = `index ${chainId}`
  return async (isAgain = false) => {
    const at = await history.stand(chainId, isAgain ? { ...options, isFresh: true } : options)
    const moment = indexMoment(at)
    const known = answers.find(place, `${moment} ${seenDay()}`, question)
    const run = (chain: ChainView) =>
      answers.get(place, `${moment} ${chain.today}`, question, async () => {
        // Without the caller's signal: others may wait for the same answer.
        const rows = await history.snapshot(chainId, {}, async (queries) =>
          way.query?.({ input, lane, today: chain.today, history: queries }),
        )
        if (indexMoment(rows) !== moment) throw new BlockGoneError('the index has moved meanwhile')
        return make(chain, rows)
      })
    return { at, known, run, rows: readRows }
  }
}

/** Everything but question and day that an answer from the index depends on. */
function indexMoment({ block, finalizedBlock, approvalsReadTo, position, failure }: IndexedAt): string {
  const { lagSeconds, synced } = position
  return `${block.hash} ${finalizedBlock} ${approvalsReadTo} ${lagSeconds} ${synced} ${failure}`
}

/** Answers at the head: where there is no index, or where nodes no longer keep the state of the index's block. */
async function atHead(
  call: ChainCall,
  way: AnyWay,
  standing: Standing | IndexUnavailableError,
): Promise<Answer> {
  const { chains, chainId, options, operation, asked } = call
  const indexed =
    standing instanceof IndexUnavailableError ? standing : await standing.rows().catch(noIndex(operation))
  return chains.withView(chainId, options, (chain) => {
    if (indexed instanceof IndexUnavailableError) {
      const none = { rows: withoutIndex(operation)?.rows, position: null, failure: indexed.message }
      return makeAt(contextAt(chain, call), operation, way, asked, none)
    }
    // Where the head is another block than the index's, the index is not synced.
    const isAtIndex = chain.asOf.blockHash === indexed.block.hash
    const position = isAtIndex ? indexed.position : { ...indexed.position, synced: false }
    return makeAt(contextAt(chain, call), operation, way, asked, { ...indexed, position })
  })
}

/** Where the operation can answer without its index, the failure becomes a value instead of an error. */
function noIndex(operation: ChainOperation) {
  return (error: unknown): IndexUnavailableError => {
    if (error instanceof IndexUnavailableError && withoutIndex(operation) !== undefined) return error
    throw error
  }
}

function withoutIndex({ declaration }: ChainOperation) {
  return declaration.kind === 'chain' ? declaration.withoutIndex : undefined
}

/** Runs the handler at one block, and encodes what it gives. A handler whose answer is kept is told nothing of its caller. */
export async function makeAt(
  context: ChainContext,
  operation: ChainOperation,
  way: AnyWay,
  { input }: Pick<Asked, 'input'>,
  indexed?: Pick<Indexed<unknown>, 'rows' | 'failure'> & { readonly position: IndexPosition | null },
): Promise<Answer> {
  const { chain, lane } = context
  const rows = indexed?.rows
  const result =
    way.atBlock === undefined
      ? await way.handle({ ...context, input, rows })
      : await way.atBlock({ lane, chain, input, rows })
  if (indexed === undefined) return toAnswer(operation, { ...result, ...blockOf(chain) })
  const { failure, position } = indexed
  const error = failure !== null && withoutIndex(operation)?.reported ? { error: failure } : {}
  return toAnswer(operation, { ...result, ...error, ...blockOf(chain), index: position })
}

/** The one block of an answer. */
function blockOf({ chainId, asOf }: ChainView) {
  return { chainId, asOf }
}

/** With what the index knows beside the chain. */
function contextAt(
  chain: ChainView,
  { context, history, chainId, options: { signal } }: ChainCall,
): ChainContext {
  const askIndex: AskIndex = async (query) => {
    try {
      const { rows } = await history.snapshot(chainId, signal === undefined ? {} : { signal }, query)
      return rows
    } catch (error) {
      if (error instanceof IndexUnavailableError) return undefined
      throw error
    }
  }
  return { ...context, chain, askIndex }
}

/** The most that the answers of one kind and chain take, in bytes. */
const MOST_BYTES = 16 * 1024 * 1024
/** What an answer takes in memory beside its JSON, as parts of the JSON's length, and at least. */
const TIMES_JSON = 4
const LEAST_BYTES = 1_000

interface Entry {
  readonly making: Promise<Answer>
  /** Known once it is made. */
  readonly made?: Answer
}

interface Held {
  readonly name: string
  readonly answers: LRUCache<string, Entry>
}

/**
 * The answers at the newest block. When it changes, they are dropped.
 *
 * Equal questions at the same time share one answer. A failure is not kept, and the next caller tries again.
 */
export class BlockAnswers {
  readonly #moments = new Map<string, Held>()
  readonly #mostBytes: number

  constructor(mostBytes = MOST_BYTES) {
    this.#mostBytes = mostBytes
  }

  /** The answer, if it is there already. */
  find(place: string, moment: string, question: string): Answer | undefined {
    const held = this.#moments.get(place)
    return held?.name === moment ? held.answers.get(question)?.made : undefined
  }

  /**
   * @param place a chain and a kind of answer: what moves on by itself
   * @param moment names all that answers of this place depend on, beside the question
   * @param make must not depend on its caller: others wait for it as well
   */
  get(place: string, moment: string, question: string, make: () => Promise<Answer>): Promise<Answer> {
    const answers = this.#at(place, moment)
    const known = answers.get(question)
    if (known !== undefined) return known.making
    const making = make().then(
      (made) => {
        // Its size is known only now. If it was dropped meanwhile, it stays dropped.
        const size = question.length + LEAST_BYTES + made.json().length * (1 + TIMES_JSON)
        if (answers.peek(question)?.making === making) answers.set(question, { making, made }, { size })
        return made
      },
      (error: unknown) => {
        if (answers.peek(question)?.making === making) answers.delete(question)
        throw error
      },
    )
    answers.set(question, { making }, { size: question.length + LEAST_BYTES })
    return making
  }

  #at(place: string, name: string): LRUCache<string, Entry> {
    const held = this.#moments.get(place)
    if (held?.name === name) return held.answers
    const answers = new LRUCache<string, Entry>({ maxSize: this.#mostBytes })
    this.#moments.set(place, { name, answers })
    return answers
  }
}
