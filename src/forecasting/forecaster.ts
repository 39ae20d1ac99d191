import { parentPort, workerData } from 'node:worker_threads'
import { Chains } from '../chain/Chains.ts'
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
const { entries, rpcTimeoutMs } = workerData as ThreadOptions

/** A chain with the clock of whoever asked last. Forecasts of several chains are made at the same time. */
interface ClockedChain {
  readonly chains: Chains
  now: number
}

const known = new Map(
  entries.map((entry) => {
    const clocked: ClockedChain = {
      now: 0,
      chains: new Chains({
        entries: [entry],
        defaultChainId: entry.chainId,
        rpcTimeoutMs,
        log,
        observer: { upstreamAsked: (request) => say({ kind: 'asked', request }), blockCacheAsked() {} },
        wallNow: () => clocked.now * 1_000,
      }),
    }
    return [entry.chainId, clocked]
  }),
)

async function make({ id, question }: ForecastOrder): Promise<void> {
  const { chainId, block, lastDay } = question
  try {
    const clocked = known.get(chainId)
    if (clocked === undefined) throw new Error(`chain ${chainId} is not known here`)
    clocked.now = question.now
    const options = { block, signal: AbortSignal.timeout(MOST_MS) }
    const foreseen = await clocked.chains.withView(chainId, options, (view) => makeForecast(view, lastDay))
    say({ kind: 'made', id, foreseen })
  } catch (error) {
    say({ kind: 'failed', id, reason: wordsOf(error) })
  }
}

/** An error with its causes, for the log. */
function wordsOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const own = `${error.name}: ${error.message}`
  return error.cause === undefined ? own : `${own}, because of ${wordsOf(error.cause)}`
}

parentPort?.on('message', (order: ForecastOrder) => void make(order))
