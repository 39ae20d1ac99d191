import type { GetTransactionStatusAnswer } from '@remit/client'
import { Hash } from '../../design/Address.tsx'
import { linkTo } from '../../page/api.ts'

/** What became of a transaction, whose hash has as many digits as a plan’s id, and the plans that it was about. */
export function OfTransaction({ of: answer }: { readonly of: GetTransactionStatusAnswer }) {
  const plans = plansOf(answer)
  return (
    <>
      <p>
        {answer.status !== 'success'
          ? WORDS[answer.status]
          : plans.length === 0
            ? 'It was about no plan here.'
            : 'Its receipts are in the history of:'}
      </p>
      {plans.map((id) => (
        <p key={id}>
          <Hash hash={id} what="plan id" href={linkTo(`/plans/${id}`)} />
        </p>
      ))}
    </>
  )
}

const WORDS: Readonly<Record<string, string>> = {
  pending: 'It is in no block yet.',
  reverted: 'It failed: nothing was paid by it.',
  replaced: 'Another one took its place: nothing was paid by it.',
}

/** The plans that the contract's own events name. */
function plansOf({ events }: GetTransactionStatusAnswer): string[] {
  const ids = events.flatMap(({ eventName, args: { id } }) =>
    eventName !== undefined && typeof id === 'string' ? [id] : [],
  )
  return [...new Set(ids)]
}
