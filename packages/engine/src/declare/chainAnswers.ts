import { LRUCache } from 'lru-cache'
import type * as z from 'zod'
import { SubscriptionNotFoundError, ViewFailedError } from '../errors/chain.ts'
import { IndexUnavailableError } from '../errors/history.ts'
import type { LastingToken } from '../ports/chainReads.ts'
import { BlockGoneError, type ChainsPort, type ChainView, type Moment } from '../ports/chains.ts'
import type { EventLog } from '../ports/events.ts'
import type { HistoryPort, Indexed, IndexedAt } from '../ports/history.ts'
import type { IndexPosition } from '../schema/envelope.ts'
import { type Answer, type DecodedCall, toAnswer } from './codec.ts'
import type { AskIndex, CallContext, ChainContext, PrepareContext } from './contexts.ts'
import type { ChainOperation, LongPollCounter, QueryAndHandler } from './operation.ts'

// How an operation of a chain is answered, by what it declares (`answerOnChain`):
// - a prepare: at the head, here or in a thread;
// - a read without a `query`: at the head (`fromChain`), and from the index where a view of the contract fails and it says how;
// - a read with a `query`: at the block of the index, with its rows (`fromIndex`), so that rows and chain agree. At the head, with
//   what the index has, where the index cannot be read, or nodes have no state of its block any more (`atHead`).
// An answer that depends on block, day, input and lane alone is kept for other callers at the same block (`BlockAnswers`, at the end).

/** A call of an operation that reads a chain, and what its answer is made from. */
export interface ChainCall {
  readonly chains: ChainsPort
  readonly history: HistoryPort
  readonly events: EventLog
  readonly longPolls: LongPollCounter
  readonly operation: ChainOperation
  readonly chainId: number
  /** The input as JSON, before it is decoded: another thread is sent that. */
  readonly input: unknown
  readonly decodedCall: DecodedCall
  readonly options: { readonly minBlock?: number; readonly signal?: AbortSignal }
  readonly context: CallContext
  readonly answers: AnswersPort
}

type AnyHandler = QueryAndHandler<z.ZodObject, z.ZodObject, unknown>

/** The answer of an operation that reads a chain: at which block it is made, with which rows, and whether it is kept. */
export async function answerOnChain(call: ChainCall): Promise<Answer> {
  const { declaration } = call.operation
  if (declaration.kind === 'chain' && declaration.query !== undefined) return fromIndex(call, declaration)
  if (declaration.kind === 'chain') return fromChain(call, declaration, declaration.fromIndex)
  const { chains, chainId, options, operation, input, decodedCall, context } = call
  const { requestId } = context
  return chains.withView(chainId, options, async (chain) =>
    operation.inThread && chain.answerInThread !== undefined
      ? toAnswer(operation, await chain.answerInThread({ operation: operation.name, input, requestId }))
      : prepareAt({ requestId, chain }, operation, decodedCall),
  )
}

/** Answers a prepare at one view. */
export async function prepareAt(
  context: PrepareContext,
  operation: ChainOperation,
  { input }: Pick<DecodedCall, 'input'>,
): Promise<Answer> {
  const { declaration, name } = operation
  if (declaration.kind !== 'prepare') throw new RangeError(`${name} is no prepare`)
  const result = await declaration.handle({ ...context, input })
  return toAnswer(operation, { ...result, ...blockOf(context.chain) })
}

/** Answers at the chain's head. Where the contract's view cannot be read, answers from the index if declared so. */
async function fromChain(
  call: ChainCall,
  handler: AnyHandler,
  fallback: AnyHandler | undefined,
): Promise<Answer> {
  const { chains, chainId, options, answers, operation, decodedCall } = call
  const answerKey = handler.atBlock && decodedCall.answerKey
  const blockSequence = `chain ${chainId}`
  if (answerKey !== undefined) {
    // An answer that was made at the present head needs neither a view nor the caller's signal.
    const seen = chains.seen(chainId, options)
    const known = seen && answers.find(blockSequence, chainMoment(seen), answerKey)
    if (known !== undefined) return known
  }
  try {
    return await chains.withView(chainId, options, (chain) => {
      const make = () => makeAt(contextAt(chain, call), operation, handler, decodedCall)
      if (answerKey === undefined) return make()
      const moment = chainMoment({ blockHash: chain.asOf.blockHash, today: chain.today })
      return answers.get(blockSequence, moment, answerKey, make)
    })
  } catch (error) {
    if (fallback === undefined || !(error instanceof ViewFailedError)) throw error
    return await fromIndex(call, fallback).catch((second: unknown) => {
      // Where the index fails too, the caller is told about the view.
      throw second instanceof IndexUnavailableError ? error : second
    })
  }
}

/** All that an answer at the head depends on, beside input and lane. */
function chainMoment({ blockHash, today }: Moment): string {
  return `${blockHash} ${today}`
}

/** Answers with rows of the index and reads the chain at the index's block, so that both agree. */
async function fromIndex(call: ChainCall, handler: AnyHandler): Promise<Answer> {
  const { chains, events, longPolls, chainId, options, decodedCall, operation } = call
  // The index of a misconfigured chain is empty, or holds another contract's past.
  chains.throwIfMisconfigured(chainId)
  const { declaration } = operation
  if (declaration.kind === 'chain') {
    await declaration.stream?.until({
      input: decodedCall.input,
      chainId,
      events,
      streams: longPolls,
      signal: options.signal,
    })
  }
  const readStanding = standingReader(call, handler)
  let indexed = await readStanding().catch(noIndex(operation))
  // Two tries at the index's block: the second where that block has just been reorganised away, or the index has moved on meanwhile.
  for (let attempt = 0; attempt < 2 && !(indexed instanceof IndexUnavailableError); attempt += 1) {
    const { indexedAt, known, answerAt } = indexed
    if (known !== undefined) return known
    try {
      return await chains.withView(chainId, { ...options, block: indexedAt.block }, answerAt)
    } catch (error) {
      // The index's block may be older than the subscription, or than the contract. The head decides whether they exist.
      const isTooEarly = error instanceof ViewFailedError && !indexedAt.position.synced
      if (error instanceof SubscriptionNotFoundError || isTooEarly) return atHead(call, handler, indexed)
      if (!(error instanceof BlockGoneError || error instanceof IndexUnavailableError)) throw error
    }
    indexed = await readStanding(true).catch(noIndex(operation))
  }
  return atHead(call, handler, indexed)
}

/** Where the index stands, and how to answer at that block. */
interface Standing {
  readonly indexedAt: IndexedAt
  /** The answer, if it is kept already. */
  readonly known?: Answer | undefined
  /** Answers at a view of that block. */
  readonly answerAt: (chain: ChainView) => Promise<Answer>
  /** Reads the rows of the index, for an answer at this chain's head. */
  readonly readRows: (head: ChainView) => Promise<Indexed<unknown>>
}

/**
 * Makes the function that reads where the index stands. For an answer that is never kept it reads the rows at once. Else only
 * the index's position is read first, by which a kept answer is found; rows follow where an answer is made (`answerAt`).
 */
function standingReader(call: ChainCall, handler: AnyHandler): (isAgain?: boolean) => Promise<Standing> {
  const { chains, history, chainId, options, context, answers, operation, decodedCall } = call
  const { input } = decodedCall
  const answerKey = handler.atBlock && decodedCall.answerKey
  const { lane, subject } = context
  const seenDay = () => chains.seen(chainId, {})?.today
  const readRows = (tokens: readonly LastingToken[]) =>
    history.snapshot(chainId, options, async (queries) => {
      // A chain without blocks for days is in a later day than its index.
      const today = seenDay() ?? queries.indexDay
      return handler.query?.({ input, lane, subject, today, tokens, history: queries })
    })
  // The chain's approved tokens, for a query that needs them (`readsTokens`). Only those of kept answers may: others get none.
  const readTokens = async (chain: ChainView): Promise<readonly LastingToken[]> => {
    if (!handler.readsTokens?.(input)) return []
    const { rows } = await history.snapshot(chainId, {}, (queries) => queries.tokens())
    return chain.read.tokens(rows)
  }
  const answerWith = (chain: ChainView, indexed: Indexed<unknown>) =>
    makeAt(contextAt(chain, call), operation, handler, decodedCall, indexed)
  if (answerKey === undefined) {
    return async () => {
      const indexedAt = await readRows([])
      return {
        indexedAt,
        answerAt: (chain) => answerWith(chain, indexedAt),
        readRows: async () => indexedAt,
      }
    }
  }
  const blockSequence = `index ${chainId}`
  return async (isAgain = false) => {
    const indexedAt = await history.indexedAt(chainId, isAgain ? { ...options, isFresh: true } : options)
    const moment = indexMoment(indexedAt)
    const known = answers.find(blockSequence, `${moment} ${seenDay()}`, answerKey)
    const answerAt = (chain: ChainView) =>
      answers.get(blockSequence, `${moment} ${chain.today}`, answerKey, async () => {
        const tokens = await readTokens(chain)
        // Without the caller's signal: others may wait for the same answer.
        const rows = await history.snapshot(chainId, {}, async (queries) =>
          handler.query?.({ input, lane, today: chain.today, tokens, history: queries }),
        )
        // The index may have taken a block between the two reads. Its rows would then be of a later block than the view.
        if (indexMoment(rows) !== moment) throw new BlockGoneError('the index has moved meanwhile')
        return answerWith(chain, rows)
      })
    return { indexedAt, known, answerAt, readRows: async (head) => readRows(await readTokens(head)) }
  }
}

/** Everything but input, lane and day that an answer from the index depends on. */
function indexMoment(at: IndexedAt): string {
  const { block, finalizedBlock, approvalsReadTo, providersChecked, position, failure } = at
  const { lagSeconds, synced } = position
  return `${block.hash} ${finalizedBlock} ${approvalsReadTo} ${providersChecked} ${lagSeconds} ${synced} ${failure}`
}

/** Answers at the head: where there is no index, or where nodes no longer keep the state of the index's block. */
async function atHead(
  call: ChainCall,
  handler: AnyHandler,
  standing: Standing | IndexUnavailableError,
): Promise<Answer> {
  const { chains, chainId, options, operation, decodedCall } = call
  return chains.withView(chainId, options, async (chain) => {
    const indexed =
      standing instanceof IndexUnavailableError
        ? standing
        : await standing.readRows(chain).catch(noIndex(operation))
    if (indexed instanceof IndexUnavailableError) {
      const none = { rows: withoutIndex(operation)?.rows, position: null, failure: indexed.message }
      return makeAt(contextAt(chain, call), operation, handler, decodedCall, none)
    }
    // Where the head is another block than the index's, the index is not synced.
    const isAtIndex = chain.asOf.blockHash === indexed.block.hash
    const position = isAtIndex ? indexed.position : { ...indexed.position, synced: false }
    return makeAt(contextAt(chain, call), operation, handler, decodedCall, { ...indexed, position })
  })
}

/** Makes a handler of errors: gives back IndexUnavailableError as a value where the operation can answer without its index, else throws. */
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
  handler: AnyHandler,
  { input }: Pick<DecodedCall, 'input'>,
  indexed?: Pick<Indexed<unknown>, 'rows' | 'failure'> & { readonly position: IndexPosition | null },
): Promise<Answer> {
  const { chain, lane } = context
  const rows = indexed?.rows
  const result =
    handler.atBlock === undefined
      ? await handler.handle({ ...context, input, rows })
      : await handler.atBlock({ lane, chain, input, rows })
  if (indexed === undefined) return toAnswer(operation, { ...result, ...blockOf(chain) })
  const { failure, position } = indexed
  const error = failure !== null && withoutIndex(operation)?.reported ? { error: failure } : {}
  return toAnswer(operation, { ...result, ...error, ...blockOf(chain), index: position })
}

/** The one block of an answer. */
function blockOf({ chainId, asOf }: ChainView) {
  return { chainId, asOf }
}

/** The context of a handler: the view, and how it asks what the index knows beside the chain. */
function contextAt(
  chain: ChainView,
  { context, history, chainId, options: { signal } }: ChainCall,
): ChainContext {
  return { ...context, chain, askIndex: indexAsker(history, chainId, signal) }
}

/** Makes `askIndex` of a handler. It gives `undefined` where the chain has no index or it cannot be read. */
export function indexAsker(history: HistoryPort, chainId: number, signal: AbortSignal | undefined): AskIndex {
  return async (query) => {
    try {
      const { rows } = await history.snapshot(chainId, signal === undefined ? {} : { signal }, query)
      return rows
    } catch (error) {
      if (error instanceof IndexUnavailableError) return undefined
      throw error
    }
  }
}

/** How many bytes the kept answers of one block sequence take at most, as estimated by the next two. */
const MOST_BYTES = 16 * 1024 * 1024
/** An answer takes so many times the length of its JSON in memory, beside the JSON. */
const TIMES_JSON = 4
/** Its entry takes this much: promise and place in the cache. */
const LEAST_BYTES = 1_000

interface Entry {
  readonly making: Promise<Answer>
  /** Known once it is made. */
  readonly made?: Answer
}

/** The answers of one moment, the newest of its block sequence (both: see `BlockAnswers.get`). */
interface Held {
  readonly moment: string
  readonly answers: LRUCache<string, Entry>
}

/** Where answers at the newest block are kept. */
export type AnswersPort = Pick<BlockAnswers, 'find' | 'get'>

/**
 * The answers at the newest block of each block sequence. When that changes, they are dropped.
 *
 * Equal calls at the same time share one answer. A failure is not kept, and the next caller tries again.
 */
export class BlockAnswers {
  readonly #moments = new Map<string, Held>()
  readonly #mostBytes: number

  constructor(mostBytes = MOST_BYTES) {
    this.#mostBytes = mostBytes
  }

  /** The answer, if it is there already. */
  find(blockSequence: string, moment: string, answerKey: string): Answer | undefined {
    const held = this.#moments.get(blockSequence)
    return held?.moment === moment ? held.answers.get(answerKey)?.made : undefined
  }

  /**
   * @param blockSequence `chain <id>` for answers at the head, `index <id>` for those at the index's block: each moves on by itself
   * @param moment names all that these answers depend on, beside their keys: the block, the day, and for the index its state
   * @param make must not depend on its caller: others wait for it as well
   */
  get(
    blockSequence: string,
    moment: string,
    answerKey: string,
    make: () => Promise<Answer>,
  ): Promise<Answer> {
    const answers = this.#answersAt(blockSequence, moment)
    const known = answers.get(answerKey)
    if (known !== undefined) return known.making
    const making = make().then(
      (made) => {
        // Its size is known only now. If the cache dropped it meanwhile, to make room, it is not set again.
        const size = answerKey.length + LEAST_BYTES + made.json().length * (1 + TIMES_JSON)
        if (answers.peek(answerKey)?.making === making) answers.set(answerKey, { making, made }, { size })
        return made
      },
      (error: unknown) => {
        if (answers.peek(answerKey)?.making === making) answers.delete(answerKey)
        throw error
      },
    )
    answers.set(answerKey, { making }, { size: answerKey.length + LEAST_BYTES })
    return making
  }

  #answersAt(blockSequence: string, moment: string): LRUCache<string, Entry> {
    const held = this.#moments.get(blockSequence)
    if (held?.moment === moment) return held.answers
    const answers = new LRUCache<string, Entry>({ maxSize: this.#mostBytes })
    this.#moments.set(blockSequence, { moment, answers })
    return answers
  }
}
