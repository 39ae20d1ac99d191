import { SubscriptionNotFoundError, ViewFailedError } from '../errors/chain.ts'
import { IndexUnavailableError } from '../errors/history.ts'
import type { CallContext } from './declaration.ts'
import type { Answer, BoundChain, BoundIndex } from './operation.ts'
import { BlockGoneError, type ChainsPort, type ChainView } from './ports/chains.ts'
import type { HistoryPort, Indexed } from './ports/history.ts'

/** What an answer is made from. */
export interface Sources {
  readonly chains: ChainsPort
  readonly history: HistoryPort
  readonly chainId: number
  readonly options: { readonly minBlock?: number; readonly signal?: AbortSignal }
  readonly context: CallContext
}

/** Answers at the chain's head. Where the contract's view cannot be read, answers from the index if declared so. */
export async function fromChain(sources: Sources, bound: BoundChain): Promise<Answer> {
  const { chains, chainId, options, context } = sources
  try {
    return await chains.withView(chainId, options, (chain) => bound.run({ ...context, chain }))
  } catch (error) {
    if (bound.fromIndex === undefined || !(error instanceof ViewFailedError)) throw error
    return await fromIndex(sources, bound.fromIndex).catch((second: unknown) => {
      // Where the index fails too, the caller is told about the view.
      throw second instanceof IndexUnavailableError ? error : second
    })
  }
}

/** Answers with rows of the index and reads the chain at the index's block, so that both agree. */
export async function fromIndex(sources: Sources, bound: BoundIndex): Promise<Answer> {
  const { chains, history, chainId, options, context } = sources
  // The index of a misconfigured chain is empty, or holds another contract's past.
  chains.throwIfMisconfigured(chainId)
  const read = () =>
    history.snapshot(chainId, options, (queries) => bound.query(context.lane, queries)).catch(noIndex(bound))

  let indexed = await read()
  // A second try, where the block of the index has just been reorganised away.
  for (let attempt = 0; attempt < 2 && !(indexed instanceof IndexUnavailableError); attempt += 1) {
    const at = indexed
    const { position, failure, block } = at
    try {
      return await chains.withView(chainId, { ...options, block }, (chain) =>
        bound.run({ ...context, chain }, at.rows, { position, failure }),
      )
    } catch (error) {
      // Existence is decided on chain. The index's block may be older than the subscription, or than the contract.
      const isTooEarly = error instanceof ViewFailedError && !position.synced
      if (error instanceof SubscriptionNotFoundError || isTooEarly) return atHead(sources, bound, at)
      if (!(error instanceof BlockGoneError)) throw error
    }
    indexed = await read()
  }
  return atHead(sources, bound, indexed)
}

/** Answers at the head: where there is no index, or where nodes no longer keep the state of the index's block. */
function atHead(
  { chains, chainId, options, context }: Sources,
  bound: BoundIndex,
  indexed: Indexed<unknown> | IndexUnavailableError,
): Promise<Answer> {
  return chains.withView(chainId, options, (chain) => {
    if (indexed instanceof IndexUnavailableError) {
      const index = { position: null, failure: indexed.message }
      return bound.run({ ...context, chain }, bound.withoutIndex?.rows, index)
    }
    const { rows, failure } = indexed
    return bound.run({ ...context, chain }, rows, { position: behind(indexed, chain), failure })
  })
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
