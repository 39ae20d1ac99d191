import { type Signal, signal } from '@preact/signals'
import type { ApiClient } from '@remit/client'
import { readAnswer } from '@remit/client'
import { chainId, ownWrites, promptApi } from './api.ts'
import type { PageAnswer } from './pageContents.ts'
import { pageData } from './pageData.ts'

/** The operations of the API, by the client's names: `each` goes through pages and answers nothing itself. */
type Methods = Omit<ApiClient, 'each'>
export type AnswerOf<Name extends keyof Methods> = Awaited<ReturnType<Methods[Name]>>

/** What is known of an answer. While it is read again, what was known stays: `isStale`. */
export type Known<Answer> =
  | { readonly state: 'loading' }
  | { readonly state: 'failed'; readonly error: unknown }
  | { readonly state: 'there'; readonly answer: Answer; readonly isStale: boolean }

/** An answer that a component shows, as a signal. Reading `.value` in a component follows it. */
export interface Resource<Answer> {
  readonly value: Known<Answer>
  /** Reads again, at a block no older than this. Never rejects: a failure is a value. */
  refresh(minBlock?: number): Promise<void>
}

/** An answer that came with the page. It is there at once and cost nothing. */
export function given<Name extends keyof Methods>(key: string, name: Name): Resource<AnswerOf<Name>> {
  const found = pageData.answers[key]
  if (found === undefined || found.operation !== name) {
    throw new Error(`The page has no answer of ${name} as ${key}: its declaration names it otherwise.`)
  }
  return resource(signal(decoded(name, found)), (minBlock) => call(name, { ...found.input, minBlock }))
}

/** Whether the page came with such an answer. */
export function isGiven(key: string): boolean {
  return key in pageData.answers
}

/**
 * The same for what a page is about, such as a payment. Where the page has come without it, right after this browser has had something
 * sent, it is asked for at that transaction's block, and the page is loaded again once it is there.
 */
export function givenSubject<Name extends keyof Methods>(key: string, name: Name): Resource<AnswerOf<Name>> {
  const found = given(key, name)
  if (found.value.state === 'failed' && ownWrites.minBlock(chainId) !== undefined) {
    void found.refresh().then(() => {
      if (found.value.state === 'there') location.reload()
    })
  }
  return found
}

/** An answer that is asked of the API, when `refresh` is called for the first time. */
export function asked<Name extends keyof Methods>(
  name: Name,
  input: Readonly<Record<string, unknown>>,
): Resource<AnswerOf<Name>> {
  return resource(signal<Known<AnswerOf<Name>>>({ state: 'loading' }), (minBlock) =>
    call(name, { ...input, minBlock }),
  )
}

function resource<Answer>(
  known: Signal<Known<Answer>>,
  read: (minBlock: number | undefined) => Promise<Answer>,
): Resource<Answer> {
  // Counts the readings: an older one that ends late must not replace what a newer one brought.
  let latest = 0
  return {
    get value() {
      return known.value
    },
    async refresh(minBlock) {
      latest += 1
      const turn = latest
      const before = known.peek()
      known.value = before.state === 'there' ? { ...before, isStale: true } : { state: 'loading' }
      try {
        const answer = await read(minBlock)
        if (turn === latest) known.value = { state: 'there', answer, isStale: false }
      } catch (error) {
        if (turn === latest) known.value = { state: 'failed', error }
      }
    },
  }
}

function call<Name extends keyof Methods>(
  name: Name,
  input: Readonly<Record<string, unknown>>,
): Promise<AnswerOf<Name>> {
  // By `promptApi`, for which a limit is an error at once: `Failed` counts it down.
  // Safe: the input is what the page was declared with, or what the caller of `asked` gives, and the service checks it.
  const method = promptApi[name] as (input: unknown) => Promise<AnswerOf<Name>>
  return method(input)
}

/** What an answer of the page's document says, or the error that it is. */
export function decoded<Name extends keyof Methods>(
  name: Name,
  { status, body }: PageAnswer,
): Known<AnswerOf<Name>> {
  try {
    return { state: 'there', answer: readAnswer(name, { status, body }), isStale: false }
  } catch (error) {
    return { state: 'failed', error }
  }
}
