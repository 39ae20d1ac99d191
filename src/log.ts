import { pino } from 'pino'
import type { Log } from './core/log.ts'

/** The operator's log: one JSON line each, on standard error, so that standard output stays for answers. */
export function createLog(level: string): Log {
  const logger = pino({ level, base: null, timestamp: pino.stdTimeFunctions.isoTime }, pino.destination(2))
  return {
    info: (message, facts) => logger.info(facts ?? {}, message),
    warn: (message, facts) => logger.warn(facts ?? {}, message),
    error: (message, facts) => logger.error(facts ?? {}, message),
  }
}
