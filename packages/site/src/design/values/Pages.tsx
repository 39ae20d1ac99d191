import type { ComponentChildren } from 'preact'
import { useMemo } from 'preact/hooks'
import { pagesFrom } from '../../page/pagesFrom.ts'
import { Button } from '../Button.tsx'
import { Failed } from '../State.tsx'

interface PagesProps<Answer> {
  /** The first page. If a newer one is given, the list begins again with it. */
  readonly first: Answer
  /** The label of the button that adds a page. */
  readonly more: string
  read(after: string): Promise<Answer>
  children(pages: readonly Answer[]): ComponentChildren
}

/** A list with a button that reads its next page and adds it. */
export function Pages<Answer extends { readonly nextCursor: string | null }>({
  first,
  more,
  read,
  children,
}: PagesProps<Answer>) {
  const { pages, hasMore, isReading, failure, readMore } = useMemo(() => pagesFrom(first, read), [first])
  return (
    <div class="stack">
      {children(pages.value)}
      {failure.value === undefined ? null : <Failed error={failure.value} />}
      {hasMore.value ? (
        <Button isSmall isOff={isReading.value} onClick={readMore}>
          {more}
        </Button>
      ) : null}
    </div>
  )
}
