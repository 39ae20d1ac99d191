import type { GetTransactionStatusAnswer } from '@remit/client'
import { Hash } from '../../design/Address.tsx'
import { linkTo } from '../../page/api.ts'
import { given } from '../../page/Resource.ts'

const status = given('transaction', 'getTransactionStatus')

/** Where the id of a plan is none: whether it is a transaction, which has as many digits, and which plans it was about. */
export function OfTransaction() {
  const known = status.value
  if (known.state !== 'there' || known.answer.status === 'unknown') return null
  const plans = plansOf(known.answer)
  return (
    <>
      <p>
        <strong>This is the hash of a transaction.</strong> {WORDS[known.answer.status] ?? ''}
        {known.answer.status !== 'success'
          ? null
          : plans.length === 0
            ? ' It was about no plan here.'
            : ' Its receipts are in the history of:'}
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
