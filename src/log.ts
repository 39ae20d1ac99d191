import { type DestinationStream, pino } from 'pino'
import type { Log } from './core/ports/log.ts'

/** How much is buffered while standard error is not read. Further lines are dropped, so that the service goes on. */
const MOST_WAITING_BYTES = 4 * 1024 * 1024
/** Characters that are written at once, and how long a line waits for others. A write takes as long as making several lines. */
const WRITTEN_AT_ONCE = 64 * 1024
const LONGEST_WAIT_MS = 20

/** Any API key of a caller. */
const API_KEY = 'svc_[A-Za-z0-9_-]{20,}'

export interface LogOptions {
  /** Removed from every line. Nodes, for example, quote keys in their errors. */
  readonly secrets?: readonly string[]
  /** Default: standard error. Standard output is for the lines of the start. */
  readonly destination?: DestinationStream
}

/**
 * The operator's log, in JSON lines.
 *
 * Lines are written asynchronously, in order. At the end of the process the rest is written.
 */
export function createLog(level: string, options: LogOptions = {}): Log {
  const { secrets = [], destination = standardError() } = options
  const secret = new RegExp([...secrets.map(inJson).map(literally), API_KEY].join('|'), 'g')
  const logger = pino(
    {
      level,
      base: null,
      timestamp: timeOnce(),
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

/** The time of a line. Making its text takes longer than the rest of many a line, and lines of one millisecond share it. */
function timeOnce(): () => string {
  let at = 0
  let text = ''
  return () => {
    const now = Date.now()
    if (now !== at) {
      at = now
      text = `,"time":"${new Date(now).toISOString()}"`
    }
    return text
  }
}

function standardError(): DestinationStream {
  const stream = pino.destination({ dest: 2, sync: false, maxLength: MOST_WAITING_BYTES })
  let lines = ''
  const write = () => {
    if (lines !== '') stream.write(lines)
    lines = ''
  }
  // Before pino's own listeners, which write what the stream has.
  process.prependListener('beforeExit', write)
  process.prependListener('exit', write)
  return {
    write(line) {
      if (lines === '') setTimeout(write, LONGEST_WAIT_MS).unref()
      lines += line
      if (lines.length >= WRITTEN_AT_ONCE) write()
    },
  }
}

/** The text as JSON escapes it. */
function inJson(text: string): string {
  return JSON.stringify(text).slice(1, -1)
}

function literally(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')
}
