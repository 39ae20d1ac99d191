import { UnsafeTransactionError } from '../errors.ts'

/**
 * Gives an answer back that is for this chain wherever it names one: at its top, in transactions, in calls to send
 * together, in estimates, and in what a newer service may say beside them. Throws UnsafeTransactionError.
 */
export function assertAnswersFor<Answer>(answer: Answer, chainId: number): Answer {
  // A list of its own and no recursion: an answer may be nested deeper than a stack is.
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

/** In short: it can be anything. */
function said(value: unknown): string {
  return ['number', 'bigint', 'string', 'boolean'].includes(typeof value)
    ? String(value).slice(0, 40)
    : typeof value
}
