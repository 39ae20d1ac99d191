import '../../plan/plan.css'
import './page.css'
import { LinkButton } from '../../design/Button.tsx'
import { Empty, Shown } from '../../design/State.tsx'
import { linkTo } from '../../page/api.ts'
import { pageData } from '../../page/pageData.ts'
import { given } from '../../page/Resource.ts'
import { PlanCard } from '../../plan/PlanCard.tsx'
import { Filters, Narrowed, orderWords } from './Filters.tsx'

const plans = given('plans', 'searchSubscriptions')
const { after: page, ...asked } = pageData.query

/** All plans, by words, price and the other filters that the API has. */
export function Page() {
  return (
    <div class="stack">
      <h1>Plans</h1>
      <p class="quiet">
        What providers offer on {pageData.chain?.name}. They write the descriptions; nobody checks them.
      </p>
      <Filters />
      <Narrowed />
      <Shown of={plans} lines={12}>
        {({ subscriptions, nextCursor, index, warnings = [] }) => (
          <>
            {subscriptions.length === 0 ? (
              <Empty title="No plan fits.">
                {asked.q === undefined ? null : (
                  <p>Each word has to be in the description or in the provider’s name. Try fewer.</p>
                )}
                <LinkButton href={linkTo('/plans')}>Show all plans</LinkButton>
              </Empty>
            ) : (
              <>
                <h2 class="plans__found">
                  {page === undefined && nextCursor === null
                    ? `${subscriptions.length} ${subscriptions.length === 1 ? 'plan' : 'plans'}`
                    : 'Plans'}
                  , {orderWords()} first
                </h2>
                <div class="plan-list">
                  {subscriptions.map((plan) => (
                    <PlanCard key={plan.id} plan={plan} />
                  ))}
                </div>
              </>
            )}
            <nav class="row" aria-label="More plans">
              {page === undefined ? null : (
                <LinkButton href={linkTo('/plans', asked)}>Back to the first</LinkButton>
              )}
              {nextCursor === null ? null : (
                <LinkButton href={linkTo('/plans', { ...asked, after: nextCursor })}>More plans</LinkButton>
              )}
            </nav>
            {warnings.some(({ code }) => code === 'SEARCH_CUT') ? (
              <p class="quiet">Very many plans have these words. These are among the newest of them.</p>
            ) : null}
            {index.synced ? null : (
              <p class="quiet">
                The list is behind the chain: it knows what happened up to block {index.blockNumber}.
              </p>
            )}
          </>
        )}
      </Shown>
    </div>
  )
}
