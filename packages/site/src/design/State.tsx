import { RateLimitedError } from '@remit/client'
import type { ComponentChildren } from 'preact'
import { useMemo } from 'preact/hooks'
import { linkTo } from '../page/api.ts'
import type { Known, Resource } from '../page/Resource.ts'
import { cutLinkWords, errorWords } from '../words/errors.ts'
import { Button, LinkButton } from './Button.tsx'
import { Note } from './Card.tsx'
import { Countdown } from './Countdown.tsx'

/** A placeholder as high as its content, so that nothing moves when that comes. */
export function Loading({ lines = 3 }: { readonly lines?: number | undefined }) {
  return (
    <div aria-busy="true">
      <span class="unseen" role="status">
        Loading
      </span>
      {Array.from({ length: lines }, (_, line) => (
        <span key={line} class="skeleton" />
      ))}
    </div>
  )
}

interface EmptyProps {
  readonly title: string
  /** Whether it is all that the page says. */
  readonly isPage?: boolean
  readonly children?: ComponentChildren
}

/** An empty state: why nothing is here, and what to do. */
export function Empty({ title, isPage, children }: EmptyProps) {
  return (
    <div class="empty">
      {isPage ? (
        <h1>{title}</h1>
      ) : (
        <p>
          <strong>{title}</strong>
        </p>
      )}
      {children}
    </div>
  )
}

/** Says that the visitor has reached the limit of a minute, and counts down until it is over. @param limit unix ms */
export function Limited(limit: { readonly untilMs: number; onOver?(): void }) {
  return (
    <Note kind="mind">
      <p>
        Your network address has asked for as much as it gets in a minute. This goes on by itself in{' '}
        <Countdown {...limit} />.
      </p>
    </Note>
  )
}

interface FailedProps {
  readonly error: unknown
  readonly retry?: () => void
}

/** What failed, in a sentence, and a button that tries again. A minute’s limit is counted down, and then it is tried again. */
export function Failed({ error, retry }: FailedProps) {
  const cut = cutLinkWords(error)
  const untilMs = useMemo(() => limitEnds(error), [error])
  if (cut !== undefined) {
    return (
      <Empty title="This link is not complete." isPage>
        <p>{cut}</p>
        <LinkButton href={linkTo('/plans')}>See all plans</LinkButton>
      </Empty>
    )
  }
  if (untilMs !== undefined && retry !== undefined) {
    return (
      <div role="alert">
        <Limited untilMs={untilMs} onOver={retry} />
      </div>
    )
  }
  return (
    <div role="alert">
      <Note kind="bad">
        <p>{errorWords(error)}</p>
        {retry === undefined ? null : (
          <Button isSmall onClick={retry}>
            Try again
          </Button>
        )}
      </Note>
    </div>
  )
}

/** More than a limit of a minute lasts, and less than one of a day, for which nobody waits in front of the page. */
const LONGEST_WAIT_SECONDS = 120

/** When the limit that was reached is over, in unix ms; `undefined` where that is not worth waiting for. */
function limitEnds(error: unknown): number | undefined {
  if (!(error instanceof RateLimitedError)) return undefined
  const { retryAfterSeconds = LONGEST_WAIT_SECONDS + 1 } = error
  return retryAfterSeconds > LONGEST_WAIT_SECONDS ? undefined : Date.now() + retryAfterSeconds * 1_000
}

interface ShownProps<Answer> {
  readonly of: Resource<Answer>
  /** How many lines the answer takes, about: so high is the placeholder. */
  readonly lines?: number
  children(answer: Answer, isStale: boolean): ComponentChildren
}

/** An answer in whichever state it is: loading, failed, there, or there and being read again. */
export function Shown<Answer>({ of, lines, children }: ShownProps<Answer>) {
  const known: Known<Answer> = of.value
  if (known.state === 'loading') return <Loading lines={lines} />
  if (known.state === 'failed') return <Failed error={known.error} retry={() => void of.refresh()} />
  return <>{children(known.answer, known.isStale)}</>
}
