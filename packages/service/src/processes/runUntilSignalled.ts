import { constants } from 'node:os'
import { RemitError } from '@remit/engine/errors/base'
import { ConfigError } from '../configuration/ConfigError.ts'
import { ProgressPrinter } from '../history/status/ProgressPrinter.ts'
import { StoreError } from '../store/StoreError.ts'
import type { Indexing } from './createIndexing.ts'

/** What runs until a signal ends it. */
export interface RunningProcess {
  /** The last line of the start, which says that it is ready. */
  readonly ready: string
  /** Resolves when it is ready. Left out where it is ready at once. */
  readonly whenReady?: Promise<void>
  /** Resolves with the error where it must stop. */
  readonly failed?: Promise<Error | undefined>
  /** The indexes whose progress is shown on a terminal. */
  readonly indexing?: Pick<Indexing, 'chainIds' | 'history'>
  close(): Promise<void>
}

/** Ctrl-C signals the whole process group, and npm passes its own signal on. Two signals within this time are one. */
const ONE_SIGNAL_MS = 500

/** Writes a line of the start to standard output. */
export type Say = (line: string) => void

/**
 * Runs until SIGINT or SIGTERM, then closes in order. A second signal ends the process at once, and so does a signal
 * during the start.
 *
 * Where a start fails for a reason that the operator can correct, one sentence says so.
 */
export async function runUntilSignalled(start: (say: Say) => Promise<RunningProcess>): Promise<void> {
  // As the first process of a container, Node ignores signals that it has no listener for. So the listeners stay, and what they
  // do is replaced: between removing one and adding another, a signal would be lost.
  let onSignal: (signal: NodeJS.Signals) => void = (signal) => process.exit(128 + constants.signals[signal])
  process.on('SIGINT', (signal) => onSignal(signal))
  process.on('SIGTERM', (signal) => onSignal(signal))
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
    onSignal = () => {
      if (closing === undefined) close(0)
      else if (performance.now() - closing.since > ONE_SIGNAL_MS) process.exit(130)
    }
    running.failed?.then((error) => {
      if (error === undefined || closing !== undefined) return
      process.stderr.write(`${error.message}\n`)
      close(1)
    })
    await running.whenReady
    // A signal came while it was not ready yet.
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
  return error instanceof Error ? (error.stack ?? error.message) : String(error)
}
