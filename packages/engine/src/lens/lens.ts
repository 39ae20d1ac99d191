import { SubscriptionsLens } from '@remit/contracts/SubscriptionsLens'
import { decodeRevert } from '@remit/protocol/reverts'
import { type Address, decodeErrorResult, type Hex } from 'viem'
import { UpstreamError, UpstreamTimeoutError, ViewFailedError } from '../errors/chain.ts'
import type { Head } from '../head/blockHeader.ts'
import type { Refusal } from '../rpc/refusal.ts'
import type { LensCaller } from './lensCaller.ts'

export const lensAbi = SubscriptionsLens.abi

/** The most questions that one read may ask: a faulty node could name a next page for ever. */
const MOST_QUESTIONS = 40

/**
 * Asks the lens about one contract, at one block, for one read.
 *
 * The lens is a contract that is never deployed (packages/contracts, SubscriptionsLens): its code is lent to a node for one
 * eth_call, calls the protocol's views there, and answers much state at once. A view is a function of the protocol's contract.
 */
export interface Lens {
  readonly chainId: number
  readonly protocol: Address
  /**
   * Asks one question and decodes the answer.
   *
   * Throws ViewFailedError if a view that the answer needs fails, UnknownBlockError if the block is gone,
   * UpstreamError if no node gives the answer, UpstreamTimeoutError if none does so in time. After 40 questions it throws the
   * same as if a node refused.
   * @param options.unboundedView the view whose answer has no limit in length. If the node fails without the lens's own
   * revert, as it does when gas, time or memory run out, ViewFailedError names this view
   * @param options.code the code of another lens than the usual one
   */
  ask<Answer>(
    question: Hex,
    decode: (answer: Hex) => Answer,
    options?: { unboundedView?: string; code?: Hex },
  ): Promise<Answer>
}

/**
 * A lens for one read at a head.
 * @param options.deadline aborts when the time of all reads at this block is over: a question then throws
 * UpstreamTimeoutError, whatever the node says
 */
export function lensAt(options: {
  caller: LensCaller
  head: Head
  chainId: number
  protocol: Address
  deadline: AbortSignal
}): Lens {
  const { caller, head, chainId, protocol, deadline } = options
  let asked = 0
  return {
    chainId,
    protocol,
    ask: async (question, decode, { unboundedView, code } = {}) => {
      asked += 1
      if (asked > MOST_QUESTIONS) throw tooManyQuestions({ chainId, protocol, unboundedView })
      const answer = await caller.call(head, question, { code, signal: deadline }).catch((error: unknown) => {
        throw deadline.aborted ? new UpstreamTimeoutError(chainId, { cause: error }) : error
      })
      if (answer.kind !== 'result') throw failureOf(answer, { chainId, protocol, unboundedView })
      try {
        return decode(answer.result)
      } catch (cause) {
        // The block is right but the answer does not decode: it is another contract, or the node is faulty.
        throw new UpstreamError(chainId, { cause })
      }
    },
  }
}

/** Asks for page after page, at the same block, until `next` names no cursor. */
export async function askPages<AnswerPage, Cursor>(
  first: Cursor,
  ask: (cursor: Cursor) => Promise<AnswerPage>,
  next: (page: AnswerPage) => Cursor | undefined,
): Promise<AnswerPage[]> {
  const pages: AnswerPage[] = []
  for (let cursor: Cursor | undefined = first; cursor !== undefined; ) {
    const page: AnswerPage = await ask(cursor)
    pages.push(page)
    cursor = next(page)
  }
  return pages
}

/** The same for pages numbered by their first row: from 0 on, until `next` is 0. */
export function askRows<AnswerPage extends { readonly next: bigint }>(
  ask: (start: bigint) => Promise<AnswerPage>,
): Promise<AnswerPage[]> {
  return askPages(0n, ask, ({ next }) => (next === 0n ? undefined : next))
}

/** What a question that failed was about. */
interface QuestionSubject {
  readonly chainId: number
  readonly protocol: Address
  readonly unboundedView: string | undefined
}

/** The error that a reader gets for a question without a result. */
function failureOf(refusal: Refusal, { chainId, protocol, unboundedView }: QuestionSubject): Error {
  const { kind, error } = refusal
  if (kind === 'unknownBlock') return error
  const failure = error.data && viewFailure(error.data)
  if (failure !== undefined) return failure
  if (unboundedView === undefined || error.data !== undefined)
    return new UpstreamError(chainId, { cause: error })
  return viewTooLarge(unboundedView, protocol, error)
}

/** The error of a read that would ask more questions than it may. */
function tooManyQuestions({ chainId, protocol, unboundedView }: QuestionSubject): Error {
  const cause = new RangeError(`an answer of more than ${MOST_QUESTIONS} questions`)
  return unboundedView === undefined
    ? new UpstreamError(chainId, { cause })
    : viewTooLarge(unboundedView, protocol, cause)
}

/** The error of a view without a bound, whose answer is too large at this block. */
export function viewTooLarge(view: string, protocol: Address, cause?: unknown): ViewFailedError {
  const message = `${view}() of ${protocol} cannot be read at this block: it is too large for the chain's node.`
  return new ViewFailedError(view, message, { cause })
}

/** The lens's own revert, as an error; `undefined` for other data. */
function viewFailure(data: Hex): ViewFailedError | undefined {
  try {
    const { errorName, args } = decodeErrorResult({ abi: lensAbi, data })
    // Every ABI has Error and Panic too, and their arguments name no view.
    if (errorName !== 'ViewFailed') return undefined
    const [view, target, reason] = args
    const why = reason === '0x' ? 'It ran out of gas or gave no answer.' : decodeRevert(reason).message
    return new ViewFailedError(view, `${view}() of ${target} cannot be read at this block. ${why}`)
  } catch {
    return undefined
  }
}
