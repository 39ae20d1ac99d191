import { type Address, decodeErrorResult, type Hex } from 'viem'
import { SubscriptionsLens } from '../../../contracts/generated/SubscriptionsLens.ts'
import { UpstreamError, ViewFailedError } from '../../errors/chain.ts'
import { decodeRevert } from '../../protocol/reverts.ts'
import type { Head } from '../head/blockHeader.ts'
import type { Refusal } from '../rpc/refusal.ts'
import type { LensCaller } from './lensCaller.ts'

export const lensAbi = SubscriptionsLens.abi

/** Asks the lens about one contract, at one block. */
export interface Lens {
  readonly chainId: number
  readonly protocol: Address
  /**
   * Asks one question and decodes the answer.
   *
   * Throws ViewFailedError if a view that the answer needs fails, UnknownBlockError if the block is gone,
   * UpstreamError or UpstreamTimeoutError if no node gives the answer.
   * @param options.boundless the view whose answer has no limit in length. If the node fails without the lens's own
   * revert, as it does when gas, time or memory run out, ViewFailedError names this view
   * @param options.code the code of another lens than the usual one
   */
  ask<Answer>(
    question: Hex,
    decode: (answer: Hex) => Answer,
    options?: { boundless?: string; code?: Hex },
  ): Promise<Answer>
}

export function lensAt(options: {
  caller: LensCaller
  head: Head
  chainId: number
  protocol: Address
}): Lens {
  const { caller, head, chainId, protocol } = options
  return {
    chainId,
    protocol,
    ask: async (question, decode, { boundless, code } = {}) => {
      const answer = await caller.call(head, question, code)
      if (answer.kind !== 'result') throw failureOf(answer, { chainId, protocol, boundless })
      try {
        return decode(answer.result)
      } catch (cause) {
        // The block is right and the form is not: the contract is not the protocol's, or the node is faulty.
        throw new UpstreamError(chainId, { cause })
      }
    },
  }
}

/** More pages than this mean that the paging makes no progress. */
const MOST_PAGES = 500

/** Asks for page after page, at the same block, until `next` names no cursor. */
export async function askPages<AnswerPage, Cursor>(
  first: Cursor,
  ask: (cursor: Cursor) => Promise<AnswerPage>,
  next: (page: AnswerPage) => Cursor | undefined,
): Promise<AnswerPage[]> {
  const pages: AnswerPage[] = []
  for (let cursor: Cursor | undefined = first; cursor !== undefined; ) {
    if (pages.length === MOST_PAGES) throw new RangeError(`an answer of more than ${MOST_PAGES} pages`)
    const page: AnswerPage = await ask(cursor)
    pages.push(page)
    cursor = next(page)
  }
  return pages
}

/** The error that a reader gets for a question without a result. */
function failureOf(
  refusal: Refusal,
  { chainId, protocol, boundless }: { chainId: number; protocol: Address; boundless: string | undefined },
): Error {
  const { kind, error } = refusal
  if (kind === 'unknownBlock') return error
  const failure = error.data && viewFailure(error.data)
  if (failure !== undefined) return failure
  if (boundless === undefined || error.data !== undefined) return new UpstreamError(chainId, { cause: error })
  const message = `${boundless}() of ${protocol} cannot be read at this block: it is too large for the chain's node.`
  return new ViewFailedError(boundless, message, { cause: error })
}

function viewFailure(data: Hex): ViewFailedError | undefined {
  try {
    const { args } = decodeErrorResult({ abi: lensAbi, data })
    const [view, target, reason] = args
    const why = reason === '0x' ? 'It ran out of gas or gave no answer.' : decodeRevert(reason).message
    return new ViewFailedError(view, `${view}() of ${target} cannot be read at this block. ${why}`)
  } catch {
    return undefined
  }
}
