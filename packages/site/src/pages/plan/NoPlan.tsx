import { LinkButton } from '../../design/Button.tsx'
import { later } from '../../design/later.tsx'
import { Empty } from '../../design/State.tsx'
import { linkTo } from '../../page/api.ts'
import { pageData } from '../../page/pageData.ts'
import { given, isGiven } from '../../page/Resource.ts'

const status = isGiven('transaction') ? given('transaction', 'getTransactionStatus') : undefined

/** A chunk of its own: few come with the hash of a transaction in place of a plan's id. */
const OfTransaction = later(async () => (await import('./OfTransaction.tsx')).OfTransaction)

/** What a page about a plan shows where the chain knows no plan by its id. */
export function NoPlan() {
  const { chain, chains } = pageData
  const known = status?.value
  if (known?.state === 'there' && known.answer.status !== 'unknown') {
    return (
      <Empty title="This is a transaction." isPage>
        <OfTransaction of={known.answer} />
      </Empty>
    )
  }
  return (
    <Empty title={`There is no plan with this id on ${chain?.name ?? 'this chain'}.`} isPage>
      <p>
        Look at the link again: a plan’s id has 66 characters. A transaction’s hash has as many.
        {chains.length < 2 ? null : ' Or the plan is on another chain.'}
      </p>
      <LinkButton href={linkTo('/plans')}>See all plans</LinkButton>
    </Empty>
  )
}
