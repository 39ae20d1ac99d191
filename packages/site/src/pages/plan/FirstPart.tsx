import type { Subscription } from '@remit/client'
import { formatHuman } from '@remit/protocol/amounts'
import { dateOf } from '@remit/protocol/calendar'
import type { PaymentSplit } from '@remit/protocol/fees'
import { Term } from '../../design/Term.tsx'
import { Money } from '../../design/values/Money.tsx'
import { DueDay } from '../../design/values/When.tsx'
import { answerNow } from '../../page/live.ts'
import { pageData } from '../../page/pageData.ts'
import { RESERVE_MEANS } from '../../words/money.ts'
import { periodWord } from '../../words/schedule.ts'
import { chargedNow, firstLater, takenSoon } from '../subscribe/terms/charges.ts'
import { soonWords } from '../subscribe/terms/soonWords.ts'

/** What is taken from who joins today, and from which day on the whole price; without amounts where the chain could not be read. */
export function FirstPart({ plan }: { readonly plan: Subscription }) {
  const { today } = pageData.chain ?? {}
  const soon = takenSoon(plan, today ?? undefined)
  const later = firstLater(plan, today ?? undefined)
  const parts = partsNow(plan)
  const money = (raw: bigint) => <Money amount={formatHuman(raw, plan.tokenDecimals)} token={plan.token} />
  return (
    <>
      {parts === undefined ? (
        'A first part is taken at once'
      ) : (
        <>Today {money(parts.toFeeBalance + parts.toProvider)} at once</>
      )}
      {soon === 0n ? ', for the time until the first whole payment' : ', as a first part'}
      {soon === 0n ? null : (
        <>
          , and {money(soon)} for {soonWords(plan, today ?? undefined)}, as soon as somebody collects, perhaps
          within minutes
        </>
      )}
      .{' '}
      {later === undefined ? null : (
        <>
          Then <Money amount={plan.amount} token={plan.token} /> every {periodWord(plan)}, from{' '}
          <DueDay day={{ dayNumber: later.dayNumber, date: dateOf(later.dayNumber) }} /> on.{' '}
        </>
      )}
      Some of the first part, or all, becomes your <Term means={RESERVE_MEANS}>collecting reserve</Term>.
    </>
  )
}

/** By the protocol's rules and what the page came with; `undefined` where the chain could not be read. */
function partsNow(plan: Subscription): PaymentSplit | undefined {
  const state = answerNow('state', 'getProtocolState')
  const block = pageData.chain?.block
  if (state === undefined || !block) return undefined
  return chargedNow(plan, {
    timestamp: block.timestamp,
    callerFee: state.callerFee,
    nextUncheckedDay: state.nextUncheckedDay.dayNumber,
  })
}
