import {
  NetworkError,
  NotFoundError,
  RateLimitedError,
  RemitError,
  TimeoutError,
  UnauthorizedError,
  UnexpectedAnswerError,
  ValidationError,
} from '../errors/RemitError.ts'
import type { Command } from './Command.ts'
import { plainText } from './output/plainText.ts'

/** The exit codes, for scripts. */
export const EXIT = {
  done: 0,
  /** The service refused: not found, not ready, not allowed. */
  refused: 1,
  /** The command line or its input is invalid. */
  usage: 2,
  /** The service, its chain or the network failed, or a limit is spent: the same command may work later. */
  unavailable: 3,
  /** 128 + SIGINT. */
  interrupted: 130,
} as const

export type ExitCode = (typeof EXIT)[keyof typeof EXIT]

/** Ends the command with a sentence for the person at the terminal. */
export class CliError extends Error {
  override readonly name: string = 'CliError'
  readonly exitCode: ExitCode

  constructor(message: string, exitCode: ExitCode, options: { cause?: unknown } = {}) {
    super(message, options)
    this.exitCode = exitCode
  }
}

/** The command line is invalid. The message says what is expected. */
export class UsageError extends CliError {
  override readonly name = 'UsageError'

  constructor(message: string, options: { cause?: unknown } = {}) {
    super(message, EXIT.usage, options)
  }
}

export interface Ending {
  readonly exitCode: ExitCode
  /** The text for standard error, ending with a newline. */
  readonly text: string
}

/**
 * The message and exit code of a failed command. The service's text is made safe, and its field names become the
 * command's options.
 */
export function describeError(error: unknown, command?: Command): Ending {
  if (error instanceof UsageError) return ending(error.exitCode, [error.message, 'remit --help says more.'])
  if (error instanceof CliError) return ending(error.exitCode, [error.message])
  if (error instanceof RemitError)
    return ending(
      exitCodeOf(error),
      remitSentences(error, (field) => optionsOf(field, command)),
    )
  if (error instanceof NetworkError) {
    return ending(EXIT.unavailable, [
      error.message,
      'Is the service running, and is --url (or REMIT_URL) its address?',
    ])
  }
  if (error instanceof TimeoutError)
    return ending(EXIT.unavailable, [error.message, 'Give it longer with --timeout.'])
  if (error instanceof UnexpectedAnswerError) return ending(EXIT.unavailable, [error.message])
  const trace = error instanceof Error ? (error.stack ?? error.message) : String(error)
  return { exitCode: EXIT.refused, text: `${trace.split('\n').map(plainText).join('\n')}\n` }
}

function exitCodeOf({ status }: RemitError): ExitCode {
  if (status === 400) return EXIT.usage
  return status === 429 || status >= 500 || status === 200 ? EXIT.unavailable : EXIT.refused
}

type InOptions = (field: string) => string | undefined

/** `--due-day`; `undefined` for a field that no option sets. */
function optionsOf(field: string, command: Command | undefined): string | undefined {
  if (command === undefined) return undefined
  const named = command.optionsOfFields?.[field] ?? (Object.hasOwn(command.options, field) ? [field] : [])
  return named.length === 0 ? undefined : named.map((name) => `--${name}`).join(', ')
}

function remitSentences(error: RemitError, inOptions: InOptions): string[] {
  const { issues, requestId, status } = error
  const message = error.message.replace(
    /`([A-Za-z]\w*(?:\.\w+)*)`/g,
    (whole, field) => inOptions(field) ?? whole,
  )
  const rows = issues.map(
    ({ code, path, message: why }) =>
      `  ${[(path && inOptions(path)) ?? path ?? code, why].filter(Boolean).join(': ')}`,
  )
  // The message already holds a single issue.
  const listed = rows.length > 1 ? rows : []
  const quote = requestId !== undefined && status >= 500 ? [`Request ${requestId}.`] : []
  return [message, ...advice(error), ...listed, ...quote]
}

function advice(error: RemitError): string[] {
  const { retryAfterSeconds } = error
  if (error instanceof RateLimitedError) {
    const wait = retryAfterSeconds === undefined ? [] : [`Try again in ${retryAfterSeconds} s.`]
    return [...wait, ...(error.upgradeHint === null ? [] : [error.upgradeHint])]
  }
  if (error instanceof UnauthorizedError) return ['Check REMIT_API_KEY or the file of --api-key-file.']
  if (error instanceof NotFoundError) return ['Is it on another chain? --chain chooses one.']
  if (error instanceof ValidationError) return []
  return retryAfterSeconds === undefined ? [] : [`Try again in ${retryAfterSeconds} s.`]
}

function ending(exitCode: ExitCode, [first = '', ...more]: readonly string[]): Ending {
  return { exitCode, text: `${[`remit: ${plainText(first)}`, ...more.map(plainText)].join('\n')}\n` }
}
