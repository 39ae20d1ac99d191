import { extname } from 'node:path'
import { Worker } from 'node:worker_threads'
import type { ChainEntry } from '@remit/engine/chain/registry'
import { prepareAt } from '@remit/engine/declare/chainAnswers'
import { decode } from '@remit/engine/declare/codec'
import { RelayedError, type ToldError } from '@remit/engine/errors/base'
import { BlockGoneError, type ChainView } from '@remit/engine/ports/chains'
import type {
  Forecaster,
  ForecastQuestion,
  Foreseen,
  ThreadAnswers,
  ThreadQuestion,
} from '@remit/engine/ports/forecasts'
import type { Log, LogFields } from '@remit/engine/ports/log'
import { type ChainObserver, type UpstreamRequest, unobservedChains } from '@remit/engine/ports/nodes'
import { operations } from '../operations/index.ts'

/** More than any forecast takes. A thread that needs more ends, without the process. */
const MOST_HEAP_MB = 1_024

interface Waiting {
  readonly resolve: (outcome: Outcome) => void
  readonly reject: (error: Error) => void
}

/** What the thread says of one order. */
type Outcome = Extract<FromForecastThread, { readonly id: number }>

/**
 * Makes forecasts in a worker thread, and answers of operations that take as long, so that other requests do not wait for their
 * computing. The thread (`forecaster.ts`) asks the nodes by itself. It starts with the first question. If it ends, what it was
 * making fails, and the next question starts another.
 */
export class ForecastThread implements Forecaster, ThreadAnswers {
  readonly #options: ThreadOptions
  readonly #mostHeapMb: number
  readonly #log: Log
  readonly #observer: ChainObserver
  readonly #waiting = new Map<number, Waiting>()
  #asked = 0
  #worker: Worker | undefined
  #isClosed = false

  /** @param options.rpcTimeoutMs for one request with all its retries @param options.mostHeapMb what the thread may hold; default 1 GB */
  constructor(options: {
    entries: readonly ChainEntry[]
    rpcTimeoutMs: number
    log: Log
    observer?: ChainObserver | undefined
    mostHeapMb?: number
  }) {
    const { entries, rpcTimeoutMs, log, observer = unobservedChains } = options
    this.#options = { entries, rpcTimeoutMs }
    this.#mostHeapMb = options.mostHeapMb ?? MOST_HEAP_MB
    this.#log = log
    this.#observer = observer
  }

  async make(question: ForecastQuestion): Promise<Foreseen> {
    const outcome = await this.#order((id) => ({ kind: 'forecast', id, question }))
    if (outcome.kind === 'made') return outcome.foreseen
    throw failureOf(outcome)
  }

  async answer(question: ThreadQuestion): Promise<object> {
    const outcome = await this.#order((id) => ({ kind: 'answer', id, question }))
    if (outcome.kind === 'answered') return outcome.result
    throw failureOf(outcome)
  }

  /** Ends the thread, and with it what it is making. */
  async close(): Promise<void> {
    this.#isClosed = true
    await this.#worker?.terminate()
  }

  #order(orderOf: (id: number) => Order): Promise<Outcome> {
    if (this.#isClosed) return Promise.reject(new Error('no more forecasts are made'))
    const worker = this.#worker ?? this.#start()
    this.#asked += 1
    const id = this.#asked
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject })
      worker.postMessage(orderOf(id))
    })
  }

  #start(): Worker {
    const worker = new Worker(programOf(extname(import.meta.filename)), {
      workerData: this.#options,
      resourceLimits: { maxOldGenerationSizeMb: this.#mostHeapMb },
    })
    this.#worker = worker
    worker.on('message', (message: FromForecastThread) => this.#hear(message))
    worker.on('error', (error) => this.#ended(worker, error))
    worker.on('exit', () => this.#ended(worker, new Error('the thread that makes forecasts has ended')))
    // A running forecast must not keep the process alive.
    worker.unref()
    return worker
  }

  #hear(message: FromForecastThread): void {
    switch (message.kind) {
      case 'asked':
        this.#observer.upstreamAsked(message.request)
        break
      case 'log':
        this.#log[message.level](message.text, message.facts)
        break
      default:
        this.#waiting.get(message.id)?.resolve(message)
        this.#waiting.delete(message.id)
    }
  }

  #ended(worker: Worker, error: Error): void {
    if (this.#worker !== worker) return
    this.#worker = undefined
    if (!this.#isClosed)
      this.#log.error('The thread that makes forecasts has ended', { reason: error.message })
    const lost = [...this.#waiting.values()]
    this.#waiting.clear()
    for (const { reject } of lost) reject(error)
  }
}

function failureOf(outcome: Outcome): Error {
  switch (outcome.kind) {
    // An error of the API, as the operation threw it in the thread.
    case 'refused':
      return new RelayedError(outcome.told)
    case 'gone':
      return new BlockGoneError(outcome.reason)
    case 'failed':
      return new Error(outcome.reason)
    default:
      return new TypeError(`the thread made something else: ${outcome.kind}`)
  }
}

/** The thread's program, which stands beside this file: compiled in a bundle, or TypeScript, which needs a loader. */
function programOf(extension: string): URL {
  const program = new URL(`./forecaster${extension}`, import.meta.url)
  if (extension !== '.ts') return program
  // A thread does not take over the loader of the program that starts it.
  const loader = import.meta.resolve('tsx/esm/api')
  const source = `import { register } from '${loader}'; register(); await import('${program}')`
  return new URL(`data:text/javascript,${encodeURIComponent(source)}`)
}

export interface ThreadOptions {
  readonly entries: readonly ChainEntry[]
  readonly rpcTimeoutMs: number
}

/** An order to the thread: a forecast, or the answer of an operation. */
export type Order =
  | { readonly kind: 'forecast'; readonly id: number; readonly question: ForecastQuestion }
  | { readonly kind: 'answer'; readonly id: number; readonly question: ThreadQuestion }

/** A message of the thread: the outcome of an order, or a request to a node or a line of the log to pass on. */
export type FromForecastThread =
  | { readonly kind: 'made'; readonly id: number; readonly foreseen: Foreseen }
  | { readonly kind: 'answered'; readonly id: number; readonly result: object }
  | { readonly kind: 'refused'; readonly id: number; readonly told: ToldError }
  | { readonly kind: 'gone'; readonly id: number; readonly reason: string }
  | { readonly kind: 'failed'; readonly id: number; readonly reason: string }
  | { readonly kind: 'asked'; readonly request: UpstreamRequest }
  | {
      readonly kind: 'log'
      readonly level: 'info' | 'warn' | 'error'
      readonly text: string
      readonly facts: LogFields | undefined
    }

/** Runs in the thread: the result of an operation at a view, before it is encoded. Throws what its handler throws. */
export async function answerInThread(
  chain: ChainView,
  { operation: name, input, requestId }: ThreadQuestion,
): Promise<object> {
  const operation = operations.find((one) => one.name === name)
  if (operation?.kind !== 'prepare' || !operation.inThread)
    throw new RangeError(`${name} is not answered in a thread`)
  // Its lane has bounded the input already.
  const asked = decode(operation, { input }, 'developer')
  const { result } = await prepareAt({ requestId, chain }, operation, asked)
  return result
}
