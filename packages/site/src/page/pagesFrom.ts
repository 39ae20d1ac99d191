import { computed, type ReadonlySignal, signal } from '@preact/signals'

interface Page {
  /** Where the next page begins; `null` on the last one. */
  readonly nextCursor: string | null
}

/** A list that is read page by page. */
interface PagedList<Answer> {
  readonly pages: ReadonlySignal<readonly Answer[]>
  readonly hasMore: ReadonlySignal<boolean>
  readonly isReading: ReadonlySignal<boolean>
  /** Why the next page could not be read; `undefined` where it could. */
  readonly failure: ReadonlySignal<unknown>
  /** Reads the next page and adds it. Does nothing while one is read: the same page would come twice. */
  readMore(): void
}

/** A list whose first page is there. A new first page needs a new list: so no late answer of an earlier one gets into it. */
export function pagesFrom<Answer extends Page>(
  first: Answer,
  read: (after: string) => Promise<Answer>,
): PagedList<Answer> {
  const pages = signal<readonly Answer[]>([first])
  const next = computed(() => pages.value.at(-1)?.nextCursor ?? null)
  const isReading = signal(false)
  const failure = signal<unknown>(undefined)

  async function add(after: string): Promise<void> {
    isReading.value = true
    failure.value = undefined
    try {
      const page = await read(after)
      pages.value = [...pages.peek(), page]
    } catch (error) {
      failure.value = error
    } finally {
      isReading.value = false
    }
  }

  return {
    pages,
    hasMore: computed(() => next.value !== null),
    isReading,
    failure,
    readMore() {
      const after = next.peek()
      if (after !== null && !isReading.peek()) void add(after)
    },
  }
}
