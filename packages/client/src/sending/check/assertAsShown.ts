import { isSameHex } from '../../request/isSameHex.ts'
import { PreparedExpiredError, UnsafeTransactionError } from '../errors.ts'
import type { PreparedBatch } from '../send/FlowDefinition.ts'

/**
 * Throws unless what was shown to somebody is to the byte what is to be signed: what the wallet's own node has prepared. What was shown
 * may come from an attacker, so its types prove nothing.
 * @throws UnsafeTransactionError; PreparedExpiredError where it was for a day that has ended
 */
export function assertAsShown(
  shown: PreparedBatch,
  {
    chainId,
    validUntil,
    unsignedTransactions: own = [],
    eip5792,
  }: Pick<PreparedBatch, 'chainId' | 'validUntil' | 'unsignedTransactions' | 'eip5792'>,
): void {
  if (shown.chainId !== chainId)
    throw new UnsafeTransactionError(`it is for chain ${shown.chainId} and not for ${chainId}`)
  const given: readonly unknown[] = Array.isArray(shown.unsignedTransactions)
    ? shown.unsignedTransactions
    : []
  const shownUntil = shown.validUntil
  if (typeof shownUntil !== 'number') throw new UnsafeTransactionError('it does not say until when it holds')
  if (validUntil !== undefined && shownUntil < validUntil) throw new PreparedExpiredError(shownUntil)
  if (given.length !== own.length) {
    throw new UnsafeTransactionError(
      `it has ${given.length} transactions, and ${own.length} are to be signed`,
    )
  }
  const [shownPaymaster, paymaster] = [paymasterIn(shown.eip5792), paymasterIn(eip5792)]
  if (shownPaymaster !== paymaster) {
    throw new UnsafeTransactionError(
      `its paymaster is ${told(shownPaymaster)}, and ${told(paymaster)} is what was asked for`,
    )
  }
  for (const [index, transaction] of own.entries()) {
    for (const [field, expected] of Object.entries(transaction)) {
      const value: unknown = Reflect.get(Object(given[index]), field)
      const isSame = typeof expected === 'string' ? isSameHex(value, expected) : value === expected
      if (isSame) continue
      throw new UnsafeTransactionError(
        `its ${field} is ${told(value)}, and ${told(expected)} is what the wallet’s own node gives`,
        index,
      )
    }
  }
}

/** What an answer says of who may pay the network's fee; the answer can be anything. */
function paymasterIn(eip5792: unknown): unknown {
  return Object(Object(Object(eip5792).capabilities).paymasterService).url
}

/** A short text of a value that can be anything. */
function told(value: unknown): string {
  const text = ['number', 'bigint', 'string', 'boolean'].includes(typeof value) ? String(value) : typeof value
  return text.length > 80 ? `${text.slice(0, 80)}…` : text
}

/**
 * Returns the answer if every `chainId` in it is this chain, at any depth: in transactions, in calls to send together,
 * in estimates, and in fields that a newer service may add. Throws UnsafeTransactionError.
 */
export function assertAnswersFor<Answer>(answer: Answer, chainId: number): Answer {
  // A list instead of recursion: a hostile answer can be nested deeper than the stack allows.
  const waiting: unknown[] = [answer]
  let isTold = false
  while (waiting.length > 0) {
    const value = waiting.pop()
    if (typeof value !== 'object' || value === null) continue
    for (const [name, inner] of Object.entries(value)) {
      if (name !== 'chainId') {
        waiting.push(inner)
        continue
      }
      const isNumber = typeof inner === 'number' || typeof inner === 'bigint'
      if (!isNumber || String(inner) !== String(chainId)) {
        throw new UnsafeTransactionError(`it is for chain ${told(inner)} and not for ${chainId}`)
      }
      isTold = isTold || value === answer
    }
  }
  if (!isTold) throw new UnsafeTransactionError('it does not say for which chain it is')
  return answer
}
