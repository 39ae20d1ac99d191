import type { GetSubscribersAnswer, Subscription } from '@remit/client'
import { formatHuman } from '@remit/protocol/amounts'
import { useEffect, useMemo } from 'preact/hooks'
import { ExactMoney } from '../../../design/values/Money.tsx'
import { answerNow } from '../../../page/live.ts'
import { asked, type Known, type Resource } from '../../../page/Resource.ts'
import { isMine } from '../../../subject/subject.ts'
import { ownFeeWords } from '../../../words/money.ts'

/** The most members that a request can bring. */
export const PAGE = 500

/** What a plan's members have in their collecting reserves, and what becomes of it. It is asked for when it is shown. */
export function Held({ plan }: { readonly plan: Subscription }) {
  return <InReserves of={useReserves(plan).value} />
}

/** A plan's members and their reserves, the first `PAGE` of them. They are asked for when a component first shows them. */
export function useReserves({ id }: Subscription): Resource<GetSubscribersAnswer> {
  const found = useMemo(() => asked('getSubscribers', { id, first: PAGE }), [id])
  useEffect(() => void found.refresh(), [found])
  return found
}

/** The sum of all reserves, where it is known and not only that of the members who were read; and what becomes of them. */
export function InReserves({ of }: { readonly of: Known<GetSubscribersAnswer> }) {
  const { systemFeePercent } = answerNow('state', 'getProtocolState') ?? {}
  return (
    <p class="quiet">
      {of.state === 'there' && !of.answer.hasMore ? <Sum of={of.answer} /> : null} What is left of the
      members’ collecting reserves goes back to them when whoever runs the contract pays it out, on no fixed
      day, {ownFeeWords(systemFeePercent)}. They have nothing to do for that. Who leaves the cancelled plan
      all the same, as other apps may offer, gives the reserve to {isMine.value ? 'you' : 'the provider'}.
    </p>
  )
}

function Sum({ of: { subscribers, token } }: { readonly of: GetSubscribersAnswer }) {
  const sum = subscribers.reduce((total, { feeBalance }) => total + feeBalance.amountRaw, 0n)
  return (
    <>
      Their reserves hold <ExactMoney amount={formatHuman(sum, token.decimals)} token={token} /> now.
    </>
  )
}
