import { join } from 'node:path'
import type { Log } from '@remit/engine/ports/log'
import { createLog } from '@remit/service/processes/log'
import { pino } from 'pino'
import * as z from 'zod'

const Line = z.looseObject({ level: z.number(), msg: z.string() })
const ERROR_LEVEL = 50
/** At these levels the terminal shows less than warnings too. */
const QUIETER: readonly string[] = ['error', 'fatal', 'silent']

export interface StartLog extends Log {
  /** The file with every line. */
  readonly path: string
}

/** Where a run of `npm start` logs. Without a folder every line goes to standard error, as JSON. */
export function openStartLog(
  folder: string | undefined,
  level: string,
  secrets: readonly string[],
): Log & { readonly path?: string } {
  return folder === undefined ? createLog(level, { secrets }) : createStartLog(folder, level, secrets)
}

/**
 * The log of `npm start`. Every line goes to a file. The terminal shows only warnings and errors, as text, so that
 * requests do not hide them.
 */
export function createStartLog(folder: string, threshold: string, secrets: readonly string[]): StartLog {
  const path = join(folder, `${process.pid}.log`)
  const file = pino.destination({ dest: path, append: false, mode: 0o600, sync: false })
  const terminal = { write: (line: string) => void process.stderr.write(`${inWords(line)}\n`) }
  const logs = [
    createLog(threshold, { secrets, destination: file }),
    createLog(QUIETER.includes(threshold) ? threshold : 'warn', { secrets, destination: terminal }),
  ]
  const toBoth =
    (level: keyof Log): Log['info'] =>
    (message, facts) => {
      for (const log of logs) log[level](message, facts)
    }
  return { path, info: toBoth('info'), warn: toBoth('warn'), error: toBoth('error') }
}

/** `warning: request (method GET, route /protocol/state, status 502, code UPSTREAM_ERROR)` */
export function inWords(line: string): string {
  const { level, msg, time: _, ...facts } = Line.parse(JSON.parse(line))
  const told = Object.entries(facts)
    .filter(([, value]) => value !== undefined && value !== null && typeof value !== 'object')
    // Only the first line of a cause with a stack.
    .map(([name, value]) => `${name} ${String(value).split('\n')[0]}`)
  const words = told.length === 0 ? msg : `${msg} (${told.join(', ')})`
  return `${level >= ERROR_LEVEL ? 'error' : 'warning'}: ${words}`
}
