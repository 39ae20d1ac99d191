import { EXIT, type ExitCode } from './exitCodes.ts'

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
