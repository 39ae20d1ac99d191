import { batch, computed, type ReadonlySignal, signal } from '@preact/signals'
import { readAnswer, UnexpectedAnswerError } from '@remit/client'
import { exchange } from '@remit/client/request/exchange'
import { linkTo, root } from './api.ts'
import type { PageAnswers, PageData } from './pageContents.ts'
import { pageData } from './pageData.ts'
import type { AnswerOf, Known, Resource } from './Resource.ts'

/** The page's document as it was read last. Its first reading came with the visit. */
const shown = signal<PageData>(pageData)
const reading = signal(false)
const failure = signal<unknown>(undefined)
const at = signal(new Date())
const place = signal(location.pathname.slice(root.length))

/** Whether the document is being read again. */
export const isReading: ReadonlySignal<boolean> = reading
/** Why the last reading failed; `undefined` where it did not. What was known before stays. */
export const readFailure: ReadonlySignal<unknown> = failure
/** When the document was read last, by the reader's clock. */
export const readAt: ReadonlySignal<Date> = at
/** The page's chain, as of the last reading. */
export const chainNow = computed(() => shown.value.chain)
/** Where the page is, without the path of a proxy: such as `/desk/members`. */
export const pathNow: ReadonlySignal<string> = place
/** The query that the document was read for. */
export const queryNow = computed(() => shown.value.query)

/**
 * An answer of the page's document, which follows when the document is read again. One reading brings all answers at
 * one block, and costs what one document costs.
 */
export function live<Name extends Parameters<typeof readAnswer>[0]>(
  key: string,
  name: Name,
): Resource<AnswerOf<Name>> {
  const decoded = computed<Known<AnswerOf<Name>>>(() => {
    const found = shown.value.answers[key]
    if (found === undefined) return { state: 'loading' }
    const { status, body } = found
    try {
      return { state: 'there', answer: readAnswer(name, { status, body }), isStale: false }
    } catch (error) {
      return { state: 'failed', error }
    }
  })
  const known = computed<Known<AnswerOf<Name>>>(() => {
    const { value } = decoded
    if (value.state === 'loading' && failure.value !== undefined) {
      return { state: 'failed', error: failure.value }
    }
    return value.state === 'there' && reading.value ? { ...value, isStale: true } : value
  })
  return {
    get value() {
      return known.value
    },
    refresh: (minBlock) => readAgain(minBlock),
  }
}

/**
 * The answer by this key, if the document has one and it is not an error.
 * @param answers of another document, where it is not this page's
 */
export function answerNow<Name extends Parameters<typeof readAnswer>[0]>(
  key: string,
  name: Name,
  answers: PageAnswers = shown.value.answers,
): AnswerOf<Name> | undefined {
  const found = answers[key]
  if (found === undefined || found.status !== 200) return undefined
  return readAnswer(name, { status: found.status, body: found.body })
}

let turn = 0
/** The block of the last transaction that this page has had sent. */
let sentAt = 0

/**
 * Reads the page's document again, at a block no older than this or than what was sent from here. Never rejects:
 * `readFailure` says what failed.
 */
export function readAgain(minBlock = 0): Promise<void> {
  return take(readDocument(Math.max(minBlock, sentAt)))
}

/** Reads the page for another address, and shows that nothing is known of it yet. */
export async function readOtherSubject(path: string, query: Readonly<Record<string, string>>): Promise<void> {
  goTo(path, query)
  forgetSubject(query)
  await readAgain()
}

/** Reads another part of a list, or its rows by other filters. What is shown stays until they have come. */
export async function readOtherRows(query: Readonly<Record<string, string>>): Promise<void> {
  goTo(place.peek(), query)
  shown.value = { ...shown.peek(), query }
  await readAgain()
}

function goTo(path: string, query: Readonly<Record<string, string>>): void {
  history.replaceState(null, '', linkTo(path, query))
  place.value = path
}

/**
 * Begins to read the document in the background, at the block of a transaction or later. The function that is returned
 * shows it: at once where it has come by then.
 */
export function readAhead(minBlock: number): () => void {
  sentAt = minBlock
  // An earlier reading would show the page as it was.
  turn += 1
  const mine = turn
  reading.value = false
  const coming = readDocument(minBlock)
  let data: PageData | undefined
  coming
    .then((came) => {
      data = came
    })
    .catch(() => {})
  return () => {
    // Another reading has begun since, and the page shows the transaction's block or a later one already.
    const isSuperseded = mine !== turn && isReadAt(minBlock, shown.peek())
    if (isSuperseded) return
    if (data !== undefined) show(data)
    else {
      forgetSubject(shown.peek().query)
      void take(coming)
    }
  }
}

async function take(coming: Promise<PageData>): Promise<void> {
  turn += 1
  const mine = turn
  reading.value = true
  try {
    const data = await coming
    if (mine === turn) show(data)
  } catch (error) {
    if (mine === turn) failure.value = error
  } finally {
    if (mine === turn) reading.value = false
  }
}

function show(data: PageData): void {
  batch(() => {
    shown.value = data
    failure.value = undefined
    at.value = new Date()
  })
}

/** Forgets the answers about the page's subject. All others are the same for every subject. */
function forgetSubject(query: Readonly<Record<string, string>>): void {
  const others = Object.entries(shown.peek().answers).filter(([, answer]) => !isOfSubject(answer))
  batch(() => {
    shown.value = { ...shown.peek(), query, answers: Object.fromEntries(others) }
    failure.value = undefined
  })
}

/** Whether an answer was asked for the address that the page is about. */
function isOfSubject({ input }: PageAnswers[string]): boolean {
  return 'address' in input
}

const TRIES = 5
const BETWEEN_MS = 1_500

async function readDocument(minBlock: number): Promise<PageData> {
  for (let tries = 1; ; tries += 1) {
    const data = await fetchDocument()
    if (isReadAt(minBlock, data) || tries === TRIES) return data
    await new Promise((resolve) => setTimeout(resolve, BETWEEN_MS))
  }
}

/** Whether the chain was read at this block or later, and so was the index, which comes after it, by each answer. */
function isReadAt(minBlock: number, { chain, answers }: PageData): boolean {
  const blocks = [
    chain?.block?.blockNumber ?? 0,
    ...Object.values(answers).flatMap(({ body: { index } }) => indexedBlock(index)),
  ]
  return Math.min(...blocks) >= minBlock
}

/** The block at which an answer read the index: none where it read the chain alone, or could not read the index. */
function indexedBlock(index: unknown): number[] {
  if (typeof index !== 'object' || index === null || !('blockNumber' in index)) return []
  return typeof index.blockNumber === 'number' ? [index.blockNumber] : []
}

/** What another page of the site came with: a document costs little, and names what it shows. */
export async function answersAt(path: string, query: Readonly<Record<string, string>>): Promise<PageAnswers> {
  const { answers } = await fetchDocument(`${location.origin}${linkTo(path, query)}`)
  return answers
}

const TIMEOUT_MS = 30_000
const DATA = /<script type="application\/json" id="page">(.*?)<\/script>/s

async function fetchDocument(href = location.href): Promise<PageData> {
  const request = { method: 'GET', headers: { Accept: 'text/html' }, body: undefined }
  const within = { timeoutMs: TIMEOUT_MS, signal: undefined }
  const { status, text = '' } = await exchange(fetch, href, request, within)
  const json = DATA.exec(text)?.[1]
  // A proxy that finds nobody behind it, say, or a network that wants a sign-in first.
  if (json === undefined) {
    throw new UnexpectedAnswerError(`Status ${status}, and no page of this service.`, { status })
  }
  // Safe: the service's own document, as on the visit. Its data has no "<" in it.
  const data = JSON.parse(json) as PageData
  if (data.refusal) throwRefusal(status, data.refusal)
  return data
}

/** Throws the client's error for a page that the service has refused: mostly that the caller has asked for too much. */
function throwRefusal(status: number, body: NonNullable<PageData['refusal']>): void {
  // An error reads the same for every operation, so any name will do.
  readAnswer('getProtocolState', { status, body })
}
