import { type DestinationStream, pino } from 'pino'
import type { Facts, Log } from './core/ports/log.ts'

/** How much is buffered while standard error is not read. Further lines are dropped, so that the service goes on. */
const MOST_WAITING_BYTES = 4 * 1024 * 1024
/** How many lines are made at once, and how long a line waits for others. */
const MADE_AT_ONCE = 200
const LONGEST_WAIT_MS = 20

/** Any API key of a caller. */
const API_KEY = 'svc_[A-Za-z0-9_-]{20,}'

export interface LogOptions {
  /** Removed from every line. Nodes, for example, quote keys in their errors. */
  readonly secrets?: readonly string[]
  /** Gets each line at once. Default: standard error. Standard output is for the lines of the start. */
  readonly destination?: DestinationStream
}

interface Line {
  readonly level: keyof Log
  /** Milliseconds of unix time. */
  readonly at: number
  readonly message: string
  readonly facts: Facts | undefined
}

/**
 * The operator's log, in JSON lines, in order.
 *
 * Lines for standard error are made and written together: one by one, between other work, they take twice the time. At the end of
 * the process the rest is written.
 */
export function createLog(level: string, { secrets = [], destination }: LogOptions = {}): Log {
  const secret = new RegExp([...secrets.map(inJson).map(literally), API_KEY].join('|'), 'g')
  const stream = destination ?? pino.destination({ dest: 2, sync: false, maxLength: MOST_WAITING_BYTES })
  let time = ''
  let text = ''
  const logger = pino(
    {
      level,
      base: null,
      timestamp: () => time,
      hooks: { streamWrite: (line) => line.replace(secret, '…') },
    },
    {
      write(line) {
        text += line
      },
    },
  )

  function write(lines: readonly Line[]): void {
    let last: number | undefined
    for (const { level, at, message, facts } of lines) {
      // The text of a time takes longer to make than the rest of many a line, so lines of the same millisecond share it.
      if (at !== last) time = `,"time":"${new Date(at).toISOString()}"`
      last = at
      logger[level](facts ?? {}, message)
    }
    stream.write(text)
    text = ''
  }

  const add = destination === undefined ? together(write) : (line: Line) => write([line])
  const sayer = (level: keyof Log) => (message: string, facts?: Facts) => {
    if (logger.isLevelEnabled(level)) add({ level, at: Date.now(), message, facts })
  }
  return { info: sayer('info'), warn: sayer('warn'), error: sayer('error') }
}

/** Lets lines wait for others. The end of the process waits for none. */
function together(write: (lines: readonly Line[]) => void): (line: Line) => void {
  let waiting: Line[] = []
  const writeAll = () => {
    const lines = waiting
    waiting = []
    if (lines.length > 0) write(lines)
  }
  // Before pino's own listeners, which write what the stream has.
  process.prependListener('beforeExit', writeAll)
  process.prependListener('exit', writeAll)
  return (line) => {
    if (waiting.length === 0) setTimeout(writeAll, LONGEST_WAIT_MS).unref()
    waiting.push(line)
    if (waiting.length >= MADE_AT_ONCE) writeAll()
  }
}

/** The text as JSON escapes it. */
function inJson(text: string): string {
  return JSON.stringify(text).slice(1, -1)
}

function literally(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')
}
