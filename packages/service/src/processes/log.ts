import type { Log } from '@remit/engine/ports/log'
import { type DestinationStream, pino } from 'pino'
import { type Line, linesFrom, lineWriter } from './logLines.ts'

/** How much is buffered while standard error is not read. Further lines are dropped, so that the service goes on. */
const MOST_WAITING_BYTES = 4 * 1024 * 1024
/** So many lines are written together at most, and no line waits longer for others. */
const MADE_AT_ONCE = 200
const LONGEST_WAIT_MS = 20

interface LogOptions {
  /** Removed from every line. Nodes, for example, quote keys in their errors. */
  readonly secrets?: readonly string[]
  /** Gets each line at once. Default: standard error, which gets several together. Standard output is for the lines of the start. */
  readonly destination?: DestinationStream
}

/**
 * The operator's log, in JSON lines, in order.
 *
 * Lines for standard error are made and written together: one by one, between other work, they take twice the time. At the end of
 * the process the rest is written.
 */
export function createLog(level: string, { secrets = [], destination }: LogOptions = {}): Log {
  const textOf = lineWriter(secrets)
  const stream = destination ?? pino.destination({ dest: 2, sync: false, maxLength: MOST_WAITING_BYTES })
  const write = (lines: readonly Line[]) => stream.write(textOf(lines))
  return linesFrom(level, destination === undefined ? together(write) : (line) => write([line]))
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
