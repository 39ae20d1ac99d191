import '../../plan/plan.css'
import './page.css'
import { Button, LinkButton } from '../../design/Button.tsx'
import { Field } from '../../design/Field.tsx'
import { Empty, Shown } from '../../design/State.tsx'
import { linkTo } from '../../page/api.ts'
import { pageData } from '../../page/pageData.ts'
import { given } from '../../page/Resource.ts'
import { PlanCard } from '../../plan/PlanCard.tsx'
import { symbolOf } from '../../words/money.ts'
import { strangersText } from '../../words/strangersText.ts'

const plans = given('plans', 'searchSubscriptions')
const { query } = pageData
const { after: page, ...filters } = query

/** All plans, newest first, by the filters that the API has. */
export function Page() {
  return (
    <div class="stack">
      <h1>Plans</h1>
      <p class="quiet">
        What providers offer on {pageData.chain?.name}. They write the descriptions; nobody checks them.
      </p>
      <Filters />
      <Shown of={plans} lines={12}>
        {({ subscriptions, nextCursor, index }) => (
          <>
            {subscriptions.length === 0 ? (
              <Empty title="No plan fits.">
                <LinkButton href={linkTo('/plans')}>Show all plans</LinkButton>
              </Empty>
            ) : (
              <>
                <h2 class="unseen">Plans found, newest first</h2>
                <div class="plan-list">
                  {subscriptions.map((plan) => (
                    <PlanCard key={plan.id} plan={plan} />
                  ))}
                </div>
              </>
            )}
            <nav class="row" aria-label="More plans">
              {page === undefined ? null : (
                <LinkButton href={linkTo('/plans', filters)}>Newest plans</LinkButton>
              )}
              {nextCursor === null ? null : (
                <LinkButton href={linkTo('/plans', { ...filters, after: nextCursor })}>
                  Older plans
                </LinkButton>
              )}
            </nav>
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

const FREQUENCIES = [
  ['', 'Any'],
  ['0', 'Every week'],
  ['1', 'Every month'],
  ['2', 'Every quarter'],
  ['3', 'Every year'],
] as const

function Filters() {
  const tokens = given('tokens', 'listApprovedTokens').value
  const rows = tokens.state === 'there' ? tokens.answer.tokens : []
  // Only once the choice is made: arrow keys pass over the options in between.
  const show = (event: SubmitEvent & { readonly currentTarget: HTMLFormElement }) => {
    event.preventDefault()
    const chosen = [...new FormData(event.currentTarget)].map(([name, value]) => [name, String(value)])
    location.assign(linkTo('/plans', { ...filters, ...Object.fromEntries(chosen) }))
  }
  return (
    <form class="plans__filters" onSubmit={show}>
      <Field label="How often">
        {(control) => (
          <select {...control} name="frequency" value={query.frequency ?? ''}>
            {FREQUENCIES.map(([value, title]) => (
              <option key={value} value={value}>
                {title}
              </option>
            ))}
          </select>
        )}
      </Field>
      <Field label="Paid in">
        {(control) => (
          <select {...control} name="token" value={query.token ?? ''}>
            <option value="">Any token</option>
            {rows.map((token) => (
              <option key={token.address} value={token.address}>
                {strangersText(symbolOf(token), 20)}
              </option>
            ))}
          </select>
        )}
      </Field>
      <Field label="Show">
        {(control) => (
          <select {...control} name="cancelled" value={query.cancelled ?? ''}>
            <option value="">Open plans</option>
            <option value="true">Cancelled plans</option>
          </select>
        )}
      </Field>
      <Button type="submit">Filter</Button>
      {query.provider === undefined ? null : (
        <p class="plans__provider">
          Only by <code>{strangersText(query.provider, 42)}</code>{' '}
          <a href={linkTo('/plans', { ...filters, provider: undefined })}>Everybody’s</a>
        </p>
      )}
    </form>
  )
}
