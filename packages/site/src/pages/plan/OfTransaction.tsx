import type { GetTransactionStatusAnswer } from '@remit/client'
import { useEffect, useMemo } from 'preact/hooks'
import { Address, Hash } from '../../design/values/Address.tsx'
import { linkTo } from '../../page/api.ts'
import { asked } from '../../page/Resource.ts'
import { eventWords, receiptsOf } from '../../plan/eventWords.ts'
import { receiptLink } from '../../plan/receiptLink.ts'

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
            : 'It was about:'}
      </p>
      {plans.map((id, index) => (
        <OfPlan key={id} id={id} of={answer} isRead={index < MOST_READ} />
      ))}
    </>
  )
}

/** Of so many plans the receipts are looked for: each is a request. The others’ are in their histories. */
const MOST_READ = 5

interface OfPlanProps {
  readonly id: string
  readonly of: GetTransactionStatusAnswer
  readonly isRead: boolean
}

/**
 * A plan, and the receipts of what the transaction did to it. A transaction’s status does not say which log of the block is whose; the
 * plan’s history does.
 */
function OfPlan({ id, of: { transactionHash, blockNumber }, isRead }: OfPlanProps) {
  const history = useMemo(
    () => asked('getSubscriptionHistory', { id, untilBlock: blockNumber, first: 25 }),
    [id, blockNumber],
  )
  useEffect(() => {
    if (isRead && blockNumber !== null) void history.refresh()
  }, [history])
  const known = history.value
  const events = known.state === 'there' ? known.answer.events : []
  const own = events.filter((event) => event.transactionHash === transactionHash)
  const receipts = receiptsOf(own)
  // Older ones of the block may be on the next page.
  const isWhole = own.length < events.length || (known.state === 'there' && !known.answer.hasMore)
  return (
    <div class="stack-small">
      <p>
        {isWhole ? 'The plan ' : 'A plan, with all its receipts in its history: '}
        <Hash hash={id} what="plan id" href={linkTo(`/plans/${id}`)} />
      </p>
      {receipts.map((event) => (
        <p key={event.logIndex}>
          <a href={receiptLink(event)}>Receipt: {eventWords(event, own)}</a>
          {event.subscriber === null ? null : (
            <>
              , member <Address address={event.subscriber} />
            </>
          )}
        </p>
      ))}
    </div>
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
