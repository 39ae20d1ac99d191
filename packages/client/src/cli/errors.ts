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
