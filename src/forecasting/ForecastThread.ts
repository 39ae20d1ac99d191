import { extname } from 'node:path'
import { Worker } from 'node:worker_threads'
import type { ChainEntry } from '../chain/registry.ts'
import { BlockGoneError } from '../core/ports/chains.ts'
import type { ChainForecast, Forecaster, ForecastQuestion } from '../core/ports/forecasts.ts'
import type { Log } from '../core/ports/log.ts'
import { type ChainObserver, unobservedChains } from '../core/ports/telemetry.ts'
import type { ForecastOrder, FromForecastThread, ThreadOptions } from './messages.ts'

/** Ten thousand memberships take some 300 MB while they are decoded. A thread that needs more ends, and only it. */
const MOST_HEAP_MB = 1_024

interface Waiting {
  readonly resolve: (forecast: ChainForecast) => void
  readonly reject: (error: Error) => void
}

/**
 * Makes forecasts in a thread of its own, which asks the nodes by itself: their answers are parsed and decoded there. It
 * starts with the first question. If it ends, what it was making fails, and the next question starts another.
 */
export class ForecastThread implements Forecaster {
  readonly #options: ThreadOptions
  readonly #log: Log
  readonly #observer: ChainObserver
  readonly #waiting = new Map<number, Waiting>()
  #asked = 0
  #worker: Worker | undefined
  #isClosed = false

  /** @param options.rpcTimeoutMs for one request with all its retries */
  constructor(options: {
    entries: readonly ChainEntry[]
    defaultChainId: number
    rpcTimeoutMs: number
    log: Log
    observer?: ChainObserver | undefined
  }) {
    const { entries, defaultChainId, rpcTimeoutMs, log, observer = unobservedChains } = options
    this.#options = { entries, defaultChainId, rpcTimeoutMs }
    this.#log = log
    this.#observer = observer
  }

  make(question: ForecastQuestion): Promise<ChainForecast> {
    if (this.#isClosed) return Promise.reject(new Error('no more forecasts are made'))
    const worker = this.#worker ?? this.#start()
    this.#asked += 1
    const id = this.#asked
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject })
      worker.postMessage({ id, question } satisfies ForecastOrder)
    })
  }

  /** Ends the thread, and with it what it is making. */
  async close(): Promise<void> {
    this.#isClosed = true
    await this.#worker?.terminate()
  }

  #start(): Worker {
    const program = new URL(`./forecaster${extname(import.meta.filename)}`, import.meta.url)
    // Source needs its loader, which a program that was started otherwise has not got.
    const isSource = program.pathname.endsWith('.ts')
    const worker = new Worker(program, {
      workerData: this.#options,
      resourceLimits: { maxOldGenerationSizeMb: MOST_HEAP_MB },
      ...(isSource ? { execArgv: ['--import', import.meta.resolve('tsx')] } : {}),
    })
    this.#worker = worker
    worker.on('message', (message: FromForecastThread) => this.#hear(message))
    worker.on('error', (error) => this.#ended(worker, error))
    worker.on('exit', () => this.#ended(worker, new Error('the thread that makes forecasts has ended')))
    // A process ends whether a forecast is being made or not.
    worker.unref()
    return worker
  }

  #hear(message: FromForecastThread): void {
    switch (message.kind) {
      case 'made':
        return this.#take(message.id)?.resolve(message.forecast)
      case 'failed': {
        const { id, reason, isBlockGone } = message
        return this.#take(id)?.reject(isBlockGone ? new BlockGoneError(reason) : new Error(reason))
      }
      case 'asked':
        return this.#observer.upstreamAsked(message.request)
      case 'log':
        return this.#log[message.level](message.text, message.facts)
    }
  }

  #take(id: number): Waiting | undefined {
    const waiting = this.#waiting.get(id)
    this.#waiting.delete(id)
    return waiting
  }

  #ended(worker: Worker, error: Error): void {
    if (this.#worker !== worker) return
    this.#worker = undefined
    if (!this.#isClosed) this.#log.error('The thread that makes forecasts has ended', { reason: error.message })
    const lost = [...this.#waiting.values()]
    this.#waiting.clear()
    for (const { reject } of lost) reject(error)
  }
}
