import { parentPort, workerData } from 'node:worker_threads'
import { Chains } from '@remit/engine/chain/Chains'
import { RemitError, type ToldError } from '@remit/engine/errors/base'
import { makeForecast } from '@remit/engine/operations/outlook/makeForecast'
import { BlockGoneError } from '@remit/engine/ports/chains'
import type { Log } from '@remit/engine/ports/log'
import { answerInThread, type FromForecastThread, type Order, type ThreadOptions } from './ForecastThread.ts'

// The program of the thread that ForecastThread.ts starts. It gets orders and posts messages back. It follows no head: each order
// names the block to look at, and the time there. An order is a forecast of remit up to a day (`lastDay`, included), or a prepare that
// takes as long, whose errors go back whole (`refused`) for its caller. `gone`: no node has that block's state any more.

/** How long one forecast or answer may take. */
const MOST_MS = 60_000

const say = (message: FromForecastThread) => parentPort?.postMessage(message)

const log: Log = {
  info: (text, facts) => say({ kind: 'log', level: 'info', text, facts }),
  warn: (text, facts) => say({ kind: 'log', level: 'warn', text, facts }),
  error: (text, facts) => say({ kind: 'log', level: 'error', text, facts }),
}

// Safe: ForecastThread.ts gave it.
const { entries, rpcTimeoutMs } = workerData as ThreadOptions

const [first] = entries
if (first === undefined) throw new RangeError('no chain is given')
const chains = new Chains({
  entries,
  defaultChainId: first.chainId,
  rpcTimeoutMs,
  log,
  observer: { upstreamAsked: (request) => say({ kind: 'asked', request }), blockCacheAsked() {} },
})

/** Carries one order out, and posts its outcome. */
async function carryOut(order: Order): Promise<void> {
  const { id } = order
  const { chainId, block, now } = order.question
  const options = { block, now, signal: AbortSignal.timeout(MOST_MS) }
  try {
    if (order.kind === 'forecast') {
      const { lastDay } = order.question
      const foreseen = await chains.withView(chainId, options, (view) => makeForecast(view, lastDay))
      say({ kind: 'made', id, foreseen })
    } else {
      const { question } = order
      const result = await chains.withView(chainId, options, (view) => answerInThread(view, question))
      say({ kind: 'answered', id, result })
    }
  } catch (error) {
    if (order.kind === 'answer' && error instanceof RemitError)
      say({ kind: 'refused', id, told: toTold(error) })
    else say({ kind: error instanceof BlockGoneError ? 'gone' : 'failed', id, reason: wordsOf(error) })
  }
}

function toTold({ name, message, code, status, issues, facts, headers, cause }: RemitError): ToldError {
  return {
    name,
    message,
    code,
    status,
    issues,
    facts,
    headers,
    cause: cause === undefined ? undefined : wordsOf(cause),
  }
}

/** An error with its causes, for the log. */
function wordsOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const own = `${error.name}: ${error.message}`
  return error.cause === undefined ? own : `${own}, because of ${wordsOf(error.cause)}`
}

parentPort?.on('message', (order: Order) => void carryOut(order))
