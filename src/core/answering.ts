import { SubscriptionNotFoundError, ViewFailedError } from '../errors/chain.ts'
import { IndexUnavailableError } from '../errors/history.ts'
import type { Answer } from './answer.ts'
import type { BlockAnswers } from './BlockAnswers.ts'
import type { BoundChain, BoundIndex } from './bound.ts'
import type { AskIndex, CallContext } from './contexts.ts'
import type { OpenStreams } from './OpenStreams.ts'
import { BlockGoneError, type ChainsPort, type ChainView, type Moment } from './ports/chains.ts'
import type { EventLog } from './ports/events.ts'
import type { HistoryPort, Indexed, IndexedAt } from './ports/history.ts'

/** What an answer is made from. */
interface Sources {
  readonly chains: ChainsPort
  readonly history: HistoryPort
  readonly events: EventLog
  readonly streams: OpenStreams
  readonly chainId: number
  readonly options: { readonly minBlock?: number; readonly signal?: AbortSignal }
  readonly context: CallContext
  /** Keeps answers that depend on their block alone. Default: none is kept. */
  readonly answers?: BlockAnswers
}

/** Answers at the chain's head. Where the contract's view cannot be read, answers from the index if declared so. */
export async function fromChain(sources: Sources, bound: BoundChain): Promise<Answer> {
  const { chains, chainId, options, context } = sources
  const askIndex = askIndexOf(sources)
  const known = findKept(sources, bound.question)
  if (known !== undefined) return known
  try {
    return await chains.withView(chainId, options, (chain) => {
      const run = () => bound.run({ ...context, chain, askIndex })
      if (sources.answers === undefined || bound.question === undefined) return run()
      const moment = chainMoment({ blockHash: chain.asOf.blockHash, today: chain.today })
      return sources.answers.get(`chain ${chainId}`, moment, bound.question, run)
    })
  } catch (error) {
    if (bound.fromIndex === undefined || !(error instanceof ViewFailedError)) throw error
    return await fromIndex(sources, bound.fromIndex).catch((second: unknown) => {
      // Where the index fails too, the caller is told about the view.
      throw second instanceof IndexUnavailableError ? error : second
    })
  }
}

/** An answer that was made at the head as it is now. So no view is needed, nor the signal that would end its making. */
function findKept({ answers, chains, chainId, options }: Sources, question: string | undefined) {
  if (answers === undefined || question === undefined) return undefined
  const seen = chains.seen(chainId, options)
  return seen && answers.find(`chain ${chainId}`, chainMoment(seen), question)
}

function chainMoment({ blockHash, today }: Moment): string {
  return `${blockHash} ${today}`
}

/** Answers with rows of the index and reads the chain at the index's block, so that both agree. */
export async function fromIndex(sources: Sources, bound: BoundIndex): Promise<Answer> {
  const { chains, events, streams, chainId, options } = sources
  // The index of a misconfigured chain is empty, or holds another contract's past.
  chains.throwIfMisconfigured(chainId)
  await bound.until({ chainId, events, streams, signal: options.signal })
  const stand = standOf(sources, bound)

  let indexed = await stand().catch(noIndex(bound))
  // A second try, where the block of the index has just been reorganised away, or the index has moved.
  for (let attempt = 0; attempt < 2 && !(indexed instanceof IndexUnavailableError); attempt += 1) {
    const { at, known, run } = indexed
    if (known !== undefined) return known
    try {
      return await chains.withView(chainId, { ...options, block: at.block }, run)
    } catch (error) {
      // Existence is decided on chain. The index's block may be older than the subscription, or than the contract.
      const isTooEarly = error instanceof ViewFailedError && !at.position.synced
      if (error instanceof SubscriptionNotFoundError || isTooEarly) return atHead(sources, bound, indexed)
      if (!(error instanceof BlockGoneError || error instanceof IndexUnavailableError)) throw error
    }
    indexed = await stand(true).catch(noIndex(bound))
  }
  return atHead(sources, bound, indexed)
}

/** Where the index stands, and how to answer at that block. */
interface Standing {
  readonly at: IndexedAt
  /** The answer, where it was made already. */
  readonly known?: Answer | undefined
  readonly run: (chain: ChainView) => Promise<Answer>
  readonly rows: () => Promise<Indexed<unknown>>
}

/** Reads where the index stands: with its rows, or without them where the answer may be kept already. */
function standOf(sources: Sources, bound: BoundIndex): (isAgain?: boolean) => Promise<Standing> {
  const { chains, history, chainId, options, context, answers } = sources
  const askIndex = askIndexOf(sources)
  const seenDay = () => chains.seen(chainId, {})?.today
  const readRows = () =>
    history.snapshot(chainId, options, (queries) =>
      // A chain without blocks for days is in a later day than its index.
      bound.query({ ...context, today: seenDay() ?? queries.indexDay }, queries),
    )
  const answer = (chain: ChainView, { rows, position, failure }: Indexed<unknown>) =>
    bound.run({ ...context, chain, askIndex }, rows, { position, failure })
  const { question } = bound
  if (answers === undefined || question === undefined) {
    return async () => {
      const at = await readRows()
      return { at, run: (chain) => answer(chain, at), rows: async () => at }
    }
  }
  return async (isAgain = false) => {
    const at = await history.stand(chainId, isAgain ? { ...options, isFresh: true } : options)
    const moment = momentOf(at)
    const known = answers.find(`index ${chainId}`, `${moment} ${seenDay()}`, question)
    const run = (chain: ChainView) =>
      answers.get(`index ${chainId}`, `${moment} ${chain.today}`, question, async () => {
        // Without the caller's signal: others may wait for the same answer.
        const asNobody = { lane: context.lane, today: chain.today }
        const rows = await history.snapshot(chainId, {}, (queries) => bound.query(asNobody, queries))
        if (momentOf(rows) !== moment) throw new BlockGoneError('the index has moved meanwhile')
        return answer(chain, rows)
      })
    return { at, known, run, rows: readRows }
  }
}

/** All that an answer from the index depends on, beside its question and the day. */
function momentOf({ block, finalizedBlock, approvalsReadTo, position, failure }: IndexedAt): string {
  const { lagSeconds, synced } = position
  return `${block.hash} ${finalizedBlock} ${approvalsReadTo} ${lagSeconds} ${synced} ${failure}`
}

/** Answers at the head: where there is no index, or where nodes no longer keep the state of the index's block. */
async function atHead(
  sources: Sources,
  bound: BoundIndex,
  standing: Standing | IndexUnavailableError,
): Promise<Answer> {
  const { chains, chainId, options } = sources
  const context = { ...sources.context, askIndex: askIndexOf(sources) }
  const indexed =
    standing instanceof IndexUnavailableError ? standing : await standing.rows().catch(noIndex(bound))
  return chains.withView(chainId, options, (chain) => {
    if (indexed instanceof IndexUnavailableError) {
      const index = { position: null, failure: indexed.message }
      return bound.run({ ...context, chain }, bound.withoutIndex?.rows, index)
    }
    const { rows, failure } = indexed
    return bound.run({ ...context, chain }, rows, { position: behind(indexed, chain), failure })
  })
}

function askIndexOf({ history, chainId, options: { signal } }: Sources): AskIndex {
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

/** Where the head is another block than the index's, the index is not synced. */
function behind({ position, block }: Indexed<unknown>, chain: ChainView) {
  return chain.asOf.blockHash === block.hash ? position : { ...position, synced: false }
}

/** Where the operation can answer without its index, the failure becomes a value instead of an error. */
function noIndex(bound: BoundIndex) {
  return (error: unknown): IndexUnavailableError => {
    if (error instanceof IndexUnavailableError && bound.withoutIndex !== undefined) return error
    throw error
  }
}
