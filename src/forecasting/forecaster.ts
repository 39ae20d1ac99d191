import { parentPort, workerData } from 'node:worker_threads'
import { Chains } from '../chain/Chains.ts'
import { BlockGoneError } from '../core/ports/chains.ts'
import type { Log } from '../core/ports/log.ts'
import { makeForecast } from '../operations/outlook/makeForecast.ts'
import type { ForecastOrder, FromForecastThread, ThreadOptions } from './messages.ts'

/** How long one forecast may take. */
const MOST_MS = 60_000

// The thread that ForecastThread.ts starts. It follows no head: it is told each block that it looks at.

const say = (message: FromForecastThread) => parentPort?.postMessage(message)

const log: Log = {
  info: (text, facts) => say({ kind: 'log', level: 'info', text, facts }),
  warn: (text, facts) => say({ kind: 'log', level: 'warn', text, facts }),
  error: (text, facts) => say({ kind: 'log', level: 'error', text, facts }),
}

// Safe: ForecastThread.ts gave it.
const { entries, defaultChainId, rpcTimeoutMs } = workerData as ThreadOptions
let now = 0
const chains = new Chains({
  entries,
  defaultChainId,
  rpcTimeoutMs,
  log,
  observer: { upstreamAsked: (request) => say({ kind: 'asked', request }), blockCacheAsked() {} },
  // The chain's clock is the one of whoever asks.
  wallNow: () => now * 1_000,
})

async function make({ id, question }: ForecastOrder): Promise<void> {
  const { chainId, block, lastDay } = question
  now = question.now
  try {
    const options = { block, signal: AbortSignal.timeout(MOST_MS) }
    const forecast = await chains.withView(chainId, options, (view) => makeForecast(view, lastDay))
    say({ kind: 'made', id, forecast })
  } catch (error) {
    const reason = error instanceof Error ? `${error.name}: ${error.message}` : String(error)
    say({ kind: 'failed', id, reason, isBlockGone: error instanceof BlockGoneError })
  }
}

parentPort?.on('message', (order: ForecastOrder) => void make(order))
