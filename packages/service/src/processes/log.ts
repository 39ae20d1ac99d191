import type { Facts, Log } from '@remit/engine/ports/log'
import { type DestinationStream, pino } from 'pino'

/** How much is buffered while standard error is not read. Further lines are dropped, so that the service goes on. */
const MOST_WAITING_BYTES = 4 * 1024 * 1024
/** How many lines are made at once, and how long a line waits for others. */
const MADE_AT_ONCE = 200
const LONGEST_WAIT_MS = 20

/** Any API key of a caller. */
const API_KEY = 'svc_[A-Za-z0-9_-]{20,}'

interface LogOptions {
  /** Removed from every line. Nodes, for example, quote keys in their errors. */
  readonly secrets?: readonly string[]
  /** Gets each line at once. Default: standard error. Standard output is for the lines of the start. */
  readonly destination?: DestinationStream
}

interface Line {
  /** pino's number. */
  readonly level: number
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
  const least = pino.levels.values[level] ?? Number.POSITIVE_INFINITY
  const secret = new RegExp([...secrets.map(inJson).map(literally), API_KEY].join('|'), 'g')
  const stream = destination ?? pino.destination({ dest: 2, sync: false, maxLength: MOST_WAITING_BYTES })
  const write = (lines: readonly Line[]) => stream.write(textOf(lines).replace(secret, '…'))
  const add = destination === undefined ? together(write) : (line: Line) => write([line])

  function sayer(name: keyof Log): Log[typeof name] {
    const number = pino.levels.values[name] ?? 0
    if (number < least) return () => {}
    return (message, facts) => add({ level: number, at: Date.now(), message, facts })
  }
  return { info: sayer('info'), warn: sayer('warn'), error: sayer('error') }
}

/** Lines as pino makes them. Its own way to make one, for facts that may be anything, takes three times as long. */
function textOf(lines: readonly Line[]): string {
  let text = ''
  let last: number | undefined
  let time = ''
  for (const { level, at, message, facts } of lines) {
    // The text of a time takes longer to make than the rest of many a line, so lines of the same millisecond share it.
    if (at !== last) time = new Date(at).toISOString()
    last = at
    const said = facts === undefined ? '' : JSON.stringify(facts).slice(1, -1)
    text += `{"level":${level},"time":"${time}",${said}${said && ','}"msg":${JSON.stringify(message)}}\n`
  }
  return text
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
