import type { ChainEntry } from '@remit/engine/chain/registry'
import { withoutUrls } from '@remit/engine/network/urlSecrets'
import { EndpointFailedError } from '@remit/engine/rpc/endpoint'
import { RpcResponseError } from '@remit/engine/rpc/refusal'
import { cleanText } from '@remit/protocol/text'
import type { Hex } from 'viem'
import type { CheckName } from './consequences.ts'
import type { RawNode } from './RawNode.ts'

/**
 * `good`; `note`: something is missing that hardly matters; `poorer`: answers are poorer, slower or dearer; `bad`: the
 * service, or a large part of it, does not work with this node.
 */
export type State = 'good' | 'note' | 'poorer' | 'bad'

export interface Finding {
  readonly check: CheckName
  readonly state: State
  /** What was seen, in a few words. */
  readonly fact: string
  /** A number behind the fact: a limit, an age. */
  readonly value?: number
  /** How long the node took for it. */
  readonly ms?: number
}

/** The node that is examined, with its chain and its newest block. */
export interface ExaminedNode {
  readonly node: RawNode
  readonly entry: Pick<
    ChainEntry,
    'chainId' | 'name' | 'contractAddress' | 'firstBlock' | 'opStack' | 'txGasCap' | 'finalityDepth'
  >
  readonly head: { readonly number: number; readonly hash: Hex; readonly timestamp: number }
}

export type Check = (examined: ExaminedNode) => Promise<Finding | readonly Finding[] | undefined>

/** Why a node did not do something, in a few words that hold no URL. */
export function reasonOf(error: unknown): string {
  if (error instanceof EndpointFailedError) return error.message
  if (error instanceof RpcResponseError) return `refused: ${shortened(error.message)} (code ${error.code})`
  throw error
}

/** The finding for a question that a node did not answer. Where it asked too often, nothing was found out about it. */
export function unanswered(check: CheckName, state: State, error: unknown): Finding {
  if (isLimited(error)) return { check, state: 'note', fact: `not found out: it ${error.message}` }
  return { check, state, fact: reasonOf(error) }
}

/** Whether the node refused the question for the number of requests, after waits too. */
export function isLimited(error: unknown): error is EndpointFailedError {
  return error instanceof EndpointFailedError && error.kind === 'limited'
}

/** Nodes may repeat the request, which holds no secret, or the URL, which does. */
function shortened(message: string): string {
  return cleanText(withoutUrls(message), 80)
}

/** A number as it is shown: 1,000,000. */
export const count = (value: number) => value.toLocaleString('en-US')
