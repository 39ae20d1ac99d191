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
import { CliError, EXIT, type ExitCode, UsageError } from './errors.ts'
import { plainText } from './output/plainText.ts'

/** How a failed command ends. */
export interface Ending {
  readonly exitCode: ExitCode
  /** The text for standard error, ending with a newline. */
  readonly text: string
}

/** The message and exit code of a failed command. The service's text is made safe, and its field names become the command's options. */
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
  return status === 429 || status >= 500 ? EXIT.unavailable : EXIT.refused
}

/** What the command line calls a field of the input; `undefined` for one that no option sets. */
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
