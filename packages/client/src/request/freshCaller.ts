import type { CallOptions } from '../call/CallOptions.ts'
import { isRecord } from '../call/isRecord.ts'
import { operations } from '../generated/operations.ts'
import type { Caller } from './createCaller.ts'

/** How long a block is asked for. If the service has not seen it by then, it will not: a development chain was restarted, say. */
const KEPT_MS = 120_000

interface Note {
  readonly blockNumber: number
  /** When it is forgotten, by the clock of `OwnWrites`. */
  readonly until: number
}

/**
 * The newest block with a transaction of this client, by chain. A service sees a block a moment after the wallet's node
 * does. So for a while every call on the chain asks for this block or a later one.
 */
export class OwnWrites {
  readonly #now: () => number
  readonly #notes = new Map<number, Note>()
  #defaultChainId: number | undefined

  /** @param now a clock in milliseconds */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now
  }

  note(chainId: number, blockNumber: number): void {
    const newest = Math.max(blockNumber, this.minBlock(chainId) ?? 0)
    this.#notes.set(chainId, { blockNumber: newest, until: this.#now() + KEPT_MS })
  }

  /** Takes the chain of an answer to a call that named none: it is the service's default. */
  learnDefault(chainId: number): void {
    this.#defaultChainId = chainId
  }

  /** Whether something was sent while the service's default chain is not known yet. */
  get wantsDefault(): boolean {
    return this.#notes.size > 0 && this.#defaultChainId === undefined
  }

  /** @param chainId `undefined` is the service's default chain */
  minBlock(chainId: number | undefined): number | undefined {
    const chain = chainId ?? this.#defaultChainId
    const note = chain === undefined ? undefined : this.#notes.get(chain)
    return note === undefined || this.#now() >= note.until ? undefined : note.blockNumber
  }
}

/**
 * The same caller, which sees the effect of the client's own transactions: it names their block as `minBlock`, unless
 * the input names a later one.
 * @param usualChainId the chain of calls that name none; `undefined` is the service's default
 */
export function freshCaller(call: Caller, ownWrites: OwnWrites, usualChainId?: number): Caller {
  return async (name, input = {}, options) => {
    if (operations[name]?.onChain !== true) return call(name, input, options)
    const named = typeof input.chainId === 'number' ? input.chainId : usualChainId
    const given = typeof input.minBlock === 'number' ? input.minBlock : 0
    const ask = (minBlock: number) => call(name, minBlock > given ? { ...input, minBlock } : input, options)

    const asked = ownWrites.minBlock(named) ?? 0
    const answer = await ask(asked).catch(async (error: unknown) => {
      // An error names neither its chain nor its block. It may be about a state before those transactions.
      if (named !== undefined) throw error
      if (ownWrites.wantsDefault) await learnDefault(call, ownWrites, options).catch(() => {})
      const missed = ownWrites.minBlock(undefined) ?? 0
      if (missed <= Math.max(asked, given)) throw error
      return ask(missed)
    })
    if (named !== undefined || !isRecord(answer) || typeof answer.chainId !== 'number') return answer
    ownWrites.learnDefault(answer.chainId)
    // If the answer is about the chain of those transactions, which is known only now, it has to be new enough.
    const missed = ownWrites.minBlock(answer.chainId) ?? 0
    return missed > Math.max(asked, given, blockOf(answer.asOf)) ? ask(missed) : answer
  }
}

async function learnDefault(
  call: Caller,
  ownWrites: OwnWrites,
  options: CallOptions | undefined,
): Promise<void> {
  const state = await call('getProtocolState', {}, options)
  if (isRecord(state) && typeof state.chainId === 'number') ownWrites.learnDefault(state.chainId)
}

function blockOf(asOf: unknown): number {
  return isRecord(asOf) && typeof asOf.blockNumber === 'number' ? asOf.blockNumber : 0
}
