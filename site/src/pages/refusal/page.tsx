import { LinkButton } from '../../design/Button.tsx'
import { Card } from '../../design/Card.tsx'
import { linkTo, root } from '../../page/api.ts'
import { pageData } from '../../page/pageData.ts'

/** Why the page that was asked for cannot be shown. */
export function Page() {
  const { status } = pageData.refusal ?? {}
  const isLimit = status === 429
  return (
    <div class="stack">
      <h1>{isLimit ? 'A moment, please' : 'This page cannot be shown'}</h1>
      <Card>
        <div class="stack">
          <p>{reasonWords()}</p>
          <p class="row">
            <LinkButton href={isLimit ? location.href : linkTo('/')} kind="primary">
              {isLimit ? 'Try again' : 'To the start'}
            </LinkButton>
            <a href={`${root}/docs`}>API and guides</a>
          </p>
        </div>
      </Card>
    </div>
  )
}

function reasonWords(): string {
  const { status, error, retryAfterSeconds, issues } = pageData.refusal ?? {}
  if (status === 429) {
    const wait = typeof retryAfterSeconds === 'number' ? retryAfterSeconds : 60
    return `You have opened more pages than the service gives in a minute. Try again in ${wait} seconds.`
  }
  if (Array.isArray(issues) && issues[0]?.path === 'chainId') return 'This service does not serve that chain.'
  return typeof error === 'string' ? error : 'The service did not say why.'
}
