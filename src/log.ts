import { type DestinationStream, pino } from 'pino'
import type { Log } from './core/ports/log.ts'

/** As much as is kept while nobody reads: later lines are left out rather than the service held up. */
const MOST_WAITING_BYTES = 4 * 1024 * 1024

/** A caller's API key, wherever it turns up. */
const API_KEY = 'svc_[A-Za-z0-9_-]{20,}'

export interface LogOptions {
  /** Left out of every line, whoever brings them there: nodes quote keys in their errors. */
  readonly secrets?: readonly string[]
  /** Default: standard error, so that standard output stays for answers. */
  readonly destination?: DestinationStream
}

/**
 * The operator's log: one JSON line each.
 *
 * Lines are written beside the work, in their order; what is still waiting when the process ends is written then.
 */
export function createLog(level: string, options: LogOptions = {}): Log {
  const { secrets = [], destination = standardError() } = options
  const secret = new RegExp([...secrets.map(inJson).map(literally), API_KEY].join('|'), 'g')
  const logger = pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      hooks: { streamWrite: (line) => line.replace(secret, '…') },
    },
    destination,
  )
  return {
    info: (message, facts) => logger.info(facts ?? {}, message),
    warn: (message, facts) => logger.warn(facts ?? {}, message),
    error: (message, facts) => logger.error(facts ?? {}, message),
  }
}

function standardError(): DestinationStream {
  return pino.destination({ dest: 2, sync: false, maxLength: MOST_WAITING_BYTES })
}

/** As the text stands within a line, where quotes and backslashes are escaped. */
function inJson(text: string): string {
  return JSON.stringify(text).slice(1, -1)
}

function literally(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')
}
