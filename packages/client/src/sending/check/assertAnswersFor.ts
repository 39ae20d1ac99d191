import { UnsafeTransactionError } from '../errors.ts'

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
        throw new UnsafeTransactionError(`it is for chain ${said(inner)} and not for ${chainId}`)
      }
      isTold = isTold || value === answer
    }
  }
  if (!isTold) throw new UnsafeTransactionError('it does not say for which chain it is')
  return answer
}

/** A short text of a value that can be anything. */
function said(value: unknown): string {
  return ['number', 'bigint', 'string', 'boolean'].includes(typeof value)
    ? String(value).slice(0, 40)
    : typeof value
}
