import { constants } from 'node:os'
import { ConfigError } from './configuration/ConfigError.ts'
import { RemitError } from './errors/base.ts'
import { ProgressPrinter } from './history/status/ProgressPrinter.ts'
import type { Indexing } from './indexing.ts'
import { StoreError } from './store/StoreError.ts'

/** What runs until a signal ends it. */
export interface Running {
  /** The one line that says it is ready: the last of the start. */
  readonly ready: string
  /** When that is true; at once where this is left out. */
  readonly whenReady?: Promise<void>
  /** Resolves with the reason where it cannot go on by itself. */
  readonly failed?: Promise<Error | undefined>
  /** What is told of on the terminal, while it reads long pasts. */
  readonly indexing?: Pick<Indexing, 'chainIds' | 'history'>
  close(): Promise<void>
}

/** A signal to the whole group also comes by way of npm, which passes on its own: together they are one. */
const ONE_SIGNAL_MS = 500

/** Writes a line of the start to standard output. */
export type Say = (line: string) => void

/**
 * Runs until SIGINT or SIGTERM, then closes in order. A second signal ends at once, and so does one that comes
 * while it is still starting.
 *
 * A start that fails for a reason the operator can mend says so in one sentence.
 */
export async function runUntilSignalled(start: (say: Say) => Promise<Running>): Promise<void> {
  // The first process of a container is not ended by a signal that it does not listen to, and the signal is gone.
  const giveUp = (signal: NodeJS.Signals) => process.exit(128 + constants.signals[signal])
  process.on('SIGINT', giveUp)
  process.on('SIGTERM', giveUp)
  try {
    const say: Say = (line) => process.stdout.write(`${line}\n`)
    const running = await start(say)
    const progress = running.indexing && new ProgressPrinter({ ...running.indexing, output: process.stderr })
    let closing: { readonly since: number } | undefined
    const close = (exitCode: number) => {
      closing = { since: performance.now() }
      progress?.stop()
      running.close().then(
        () => process.exit(exitCode),
        (error: unknown) => {
          process.stderr.write(`${String(error)}\n`)
          process.exit(1)
        },
      )
    }
    const end = () => {
      if (closing === undefined) close(0)
      else if (performance.now() - closing.since > ONE_SIGNAL_MS) process.exit(130)
    }
    process.off('SIGINT', giveUp).on('SIGINT', end)
    process.off('SIGTERM', giveUp).on('SIGTERM', end)
    running.failed?.then((error) => {
      if (error === undefined || closing !== undefined) return
      process.stderr.write(`${error.message}\n`)
      close(1)
    })
    await running.whenReady
    if (closing) return
    say(running.ready)
    progress?.start()
  } catch (error) {
    process.stderr.write(`${sentenceOf(error)}\n`)
    process.exit(1)
  }
}

function sentenceOf(error: unknown): string {
  const isForOperators = [ConfigError, StoreError, RemitError].some((known) => error instanceof known)
  if (error instanceof Error && isForOperators) return error.message
  if (!(error instanceof Error)) return String(error)
  if ('code' in error && error.code === 'EADDRINUSE') {
    return `The service's port is taken (${error.message}): set PORT to another one, or to 0 for any free one.`
  }
  return error.stack ?? error.message
}
