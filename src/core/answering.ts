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

/** Answers at the chain's head; from the index where a view of the contract cannot be read and it may. */
export async function fromChain(sources: Sources, bound: BoundChain): Promise<Answer> {
  const { chains, chainId, options, context } = sources
  try {
    return await chains.withView(chainId, options, (chain) => bound.run({ ...context, chain }))
  } catch (error) {
    if (bound.fromIndex === undefined || !(error instanceof ViewFailedError)) throw error
    return await fromIndex(sources, bound.fromIndex).catch((second: unknown) => {
      // The index is only a second try: what a caller should hear of is the view.
      throw second instanceof IndexUnavailableError ? error : second
    })
  }
}

/** Answers with rows of the index, and the chain at the block that they are of. */
export async function fromIndex(sources: Sources, bound: BoundIndex): Promise<Answer> {
  const { chains, history, chainId, options, context } = sources
  // Of such a chain the index holds nothing, or another contract's past.
  chains.throwIfMisconfigured(chainId)
  const read = () =>
    history.snapshot(chainId, options, (queries) => bound.query(context.lane, queries)).catch(noIndex(bound))

  let indexed = await read()
  // Once more, where the index stood on a block that was reorganised away a moment ago.
  for (let attempt = 0; attempt < 2 && !(indexed instanceof IndexUnavailableError); attempt += 1) {
    const at = indexed
    const { position, failure, block } = at
    try {
      return await chains.withView(chainId, { ...options, block }, (chain) =>
        bound.run({ ...context, chain }, at.rows, { position, failure }),
      )
    } catch (error) {
      // What exists is decided on chain: the index may not have come to it yet, or not even to the contract.
      const isTooEarly = error instanceof ViewFailedError && !position.synced
      if (error instanceof SubscriptionNotFoundError || isTooEarly) return atHead(sources, bound, at)
      if (!(error instanceof BlockGoneError)) throw error
    }
    indexed = await read()
  }
  return atHead(sources, bound, indexed)
}

/** At the head: without an index, or with one that stands where nodes keep no state any more. */
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

/** A head that is not the index's block is more than the index knows of. */
function behind({ position, block }: Indexed<unknown>, chain: ChainView) {
  return chain.asOf.blockHash === block.hash ? position : { ...position, synced: false }
}

/** Where an operation can answer without its index, its failure is a value. */
function noIndex(bound: BoundIndex) {
  return (error: unknown): IndexUnavailableError => {
    if (error instanceof IndexUnavailableError && bound.withoutIndex !== undefined) return error
    throw error
  }
}
