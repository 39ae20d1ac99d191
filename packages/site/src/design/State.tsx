import type { ComponentChildren } from 'preact'
import type { Known, Resource } from '../page/Resource.ts'
import { errorWords } from '../words/errors.ts'
import { Button } from './Button.tsx'
import { Note } from './Card.tsx'

/** A placeholder as high as its content, so that nothing moves when that comes. */
export function Loading({ lines = 3 }: { readonly lines?: number }) {
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

/** What failed, in a sentence, and a button that tries again. */
export function Failed({ error, retry }: { readonly error: unknown; readonly retry?: () => void }) {
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

interface ShownProps<Answer> {
  readonly of: Resource<Answer>
  /** How many lines the answer takes, about. */
  readonly lines?: number
  children(answer: Answer, isStale: boolean): ComponentChildren
}

/** An answer in whichever state it is: loading, failed, there, or there and being read again. */
export function Shown<Answer>({ of, lines, children }: ShownProps<Answer>) {
  const known: Known<Answer> = of.value
  if (known.state === 'loading') return <Loading {...(lines === undefined ? {} : { lines })} />
  if (known.state === 'failed') return <Failed error={known.error} retry={() => void of.refresh()} />
  return <>{children(known.answer, known.isStale)}</>
}
