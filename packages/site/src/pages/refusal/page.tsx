import { LinkButton } from '../../design/Button.tsx'
import { Card } from '../../design/Card.tsx'
import { linkTo, root } from '../../page/api.ts'
import type { PageData } from '../../page/pageContents.ts'
import { pageData } from '../../page/pageData.ts'
import { limitWords } from '../../words/errors.ts'

/** Why the page that was asked for cannot be shown. */
export function Page() {
  const { refusal = {} } = pageData
  const isLimit = refusal.status === 429
  return (
    <div class="stack">
      <h1>{isLimit ? 'Please wait' : 'This page cannot be shown'}</h1>
      <Card>
        <div class="stack">
          <p>{reasonWords(refusal)}</p>
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

export function reasonWords({
  status,
  error,
  bucket,
  retryAfterSeconds,
  issues,
}: NonNullable<PageData['refusal']>): string {
  if (status === 429) {
    return limitWords(bucket, typeof retryAfterSeconds === 'number' ? retryAfterSeconds : undefined)
  }
  if (Array.isArray(issues) && issues[0]?.path === 'chainId') return 'This service does not serve that chain.'
  return typeof error === 'string' ? error : 'The service did not say why.'
}
