import { BaseError, RpcRequestError } from 'viem'
import type { Broadcast } from '../ports/ports.ts'

/** Nodes have no codes for these, only words. */
const KNOWN =
  /already\s?known|already imported|known transaction|already in (the )?(mem)?pool|transaction already exists/i
const NONCE_TAKEN =
  /nonce (is )?too low|nonce.{0,20}(already been used|lower than)|invalid nonce|old\s?nonce/i

/** What a node said to a transaction that it did not take as new; `undefined` where the way to it failed. */
export function readBroadcastError(error: unknown): Broadcast | undefined {
  if (!(error instanceof BaseError)) return undefined
  const answer = error.walk((cause) => cause instanceof RpcRequestError)
  if (!(answer instanceof RpcRequestError)) return undefined
  const { details } = answer
  if (KNOWN.test(details)) return { kind: 'accepted' }
  if (NONCE_TAKEN.test(details)) return { kind: 'nonceTaken' }
  return { kind: 'refused', reason: details.slice(0, 200) }
}
