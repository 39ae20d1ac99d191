import type { GetTransactionStatusAnswer } from '@remit/client'
import { Hash } from '../../design/Address.tsx'
import { linkTo } from '../../page/api.ts'

/** For whoever gave a transaction’s hash in place of a plan’s id, which is as long: what became of it, and its plans. */
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

/** The ids of the plans in a transaction: those in events of the contract, which alone have an `eventName`. */
function plansOf({ events }: GetTransactionStatusAnswer): string[] {
  const ids = events.flatMap(({ eventName, args: { id } }) =>
    eventName !== undefined && typeof id === 'string' ? [id] : [],
  )
  return [...new Set(ids)]
}
