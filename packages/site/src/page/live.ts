import { batch, computed, type ReadonlySignal, signal } from '@preact/signals'
import { readAnswer, UnexpectedAnswerError } from '@remit/client'
import { exchange } from '@remit/client/request/exchange'
import { chainId, linkTo, ownWrites, root } from './api.ts'
import type { PageAnswers, PageData } from './pageContents.ts'
import { pageData } from './pageData.ts'
import { type AnswerOf, decoded, type Known, type Resource } from './Resource.ts'

// For pages that stay open and follow the chain. Such a page fetches its own HTML document again and takes the data out of
// it: one request brings all answers, at one block. What is exported first is what pages show; then come the readings.

/** The page's document as it was read last. Its first reading came with the visit. */
const shown = signal<PageData>(pageData)
const reading = signal(false)
const failure = signal<unknown>(undefined)
const lastRead = signal(new Date())
const pagePath = signal(location.pathname.slice(root.length))

/** Whether the document is being read again. */
export const isReading: ReadonlySignal<boolean> = reading
/** Why the last reading failed; `undefined` where it did not. What was known before stays. */
export const readFailure: ReadonlySignal<unknown> = failure
/** When the document was read last, by the reader's clock. */
export const readAt: ReadonlySignal<Date> = lastRead
/** The page's chain, as of the last reading. */
export const chainNow = computed(() => shown.value.chain)
/** Where the page is, without the path of a proxy: such as `/desk/members`. */
export const pathNow: ReadonlySignal<string> = pagePath
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
  catchUp()
  const read = computed<Known<AnswerOf<Name>>>(() => {
    const found = shown.value.answers[key]
    return found === undefined ? { state: 'loading' } : decoded(name, found)
  })
  const known = computed<Known<AnswerOf<Name>>>(() => {
    const { value } = read
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

let hasCaughtUp = false

/** Reads the document again where it came without what the page before it has had sent: that is what its reader looks for. */
function catchUp(): void {
  if (hasCaughtUp) return
  hasCaughtUp = true
  if (isReadAt(ownBlock(), shown.peek())) return
  // Rather nothing than what was before the transaction.
  forgetSubject(shown.peek().query)
  void readAgain()
}

/** Counts the readings: only the newest one may change what is shown. */
let turn = 0

/**
 * Reads the page's document again, at a block no older than this or than what this browser has had sent. Never rejects:
 * `readFailure` says what failed.
 */
export function readAgain(minBlock = 0): Promise<void> {
  return showOnceRead(readDocument(Math.max(minBlock, ownBlock())))
}

const ownBlock = () => ownWrites.minBlock(chainId) ?? 0

/** Reads the page for another address, and shows that nothing is known of it yet. */
export async function readOtherSubject(path: string, query: Readonly<Record<string, string>>): Promise<void> {
  goTo(path, query)
  forgetSubject(query)
  await readAgain()
}

/** Reads another part of a list, or its rows by other filters. What is shown stays until they have come. */
export async function readOtherRows(query: Readonly<Record<string, string>>): Promise<void> {
  goTo(pagePath.peek(), query)
  shown.value = { ...shown.peek(), query }
  await readAgain()
}

function goTo(newPath: string, query: Readonly<Record<string, string>>): void {
  history.replaceState(null, '', linkTo(newPath, query))
  pagePath.value = newPath
}

/**
 * Begins to read the document in the background, at the block of a transaction or later, while the page still shows the
 * receipt. The function that is returned shows the document: at once where it has come by then.
 */
export function readAhead(minBlock: number): () => void {
  // A reading that began before the transaction would show the page as it was, so its answer is dropped.
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
    // Another reading has begun since and has shown the transaction's block or a later one: this one may be older.
    const isSuperseded = mine !== turn && isReadAt(minBlock, shown.peek())
    if (isSuperseded) return
    if (data !== undefined) show(data)
    else {
      // Rather nothing than what was before the transaction.
      forgetSubject(shown.peek().query)
      void showOnceRead(coming)
    }
  }
}

async function showOnceRead(coming: Promise<PageData>): Promise<void> {
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
    lastRead.value = new Date()
  })
}

/** Forgets the answers about the page's subject, the address that the page is about. All others are the same for every address. */
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

/** Together some seconds: as long as an index usually takes to reach a new block. */
const TRIES = 5
const BETWEEN_TRIES_MS = 1_500

/** The document at this block or later. After the last try as it is: older facts are better than none. */
async function readDocument(minBlock: number): Promise<PageData> {
  for (let tries = 1; ; tries += 1) {
    const data = await fetchDocument()
    if (isReadAt(minBlock, data) || tries === TRIES) return data
    await new Promise((resolve) => setTimeout(resolve, BETWEEN_TRIES_MS))
  }
}

/** Whether the document is of this block or a later one: the chain's state in it, and the index in each of its answers. */
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

/** The answers of another page of the site, out of its document: that costs less than asking for each of them. */
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

/** Throws the client's error for a page that the service has refused: mostly a limit that the visitor has reached. */
function throwRefusal(status: number, body: NonNullable<PageData['refusal']>): void {
  // An error reads the same for every operation, so any name will do.
  readAnswer('getProtocolState', { status, body })
}
