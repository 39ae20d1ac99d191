import type { Terminal } from '../output/Terminal.ts'
import type { Connection } from './Connection.ts'
import type { ExitCode } from './exitCodes.ts'
import type { Environment, Flags } from './Flags.ts'

/** An option, declared once for reading and for the help. */
export interface Option {
  readonly type: 'string' | 'boolean'
  /** The placeholder for its value in the help: `<n>`. */
  readonly value?: string
  /** May be given more than once. */
  readonly multiple?: true
  readonly help: string
}

export type Options = Readonly<Record<string, Option>>

/** One call of a command. */
export interface Invocation {
  readonly flags: Flags
  readonly operands: readonly string[]
  readonly terminal: Terminal
  readonly environment: Environment
  /** Aborted by the first SIGINT or SIGTERM. */
  readonly signal: AbortSignal
  /** Whether to print JSON. */
  readonly json: boolean
  /** The service that the command line names. */
  readonly connection: Connection
}

/** A command as it is declared. */
export interface Command {
  readonly name: string
  readonly summary: string
  /** The operands after the name: `<id|address>`. */
  readonly operands: string
  readonly options: Options
  /** The text of the help besides the options. */
  readonly notes?: string
  /** Options by the field of the service's input that they set, where the names differ: errors name the option. */
  readonly optionsOfFields?: Readonly<Record<string, readonly string[]>>
  /** The same command as its help shows it once its operands are known. Throws UsageError. */
  helpFor?(operands: readonly string[]): Pick<Command, 'operands' | 'summary' | 'options' | 'notes'>
  /** Throws CliError and the client's errors. No exit code means success. */
  run(invocation: Invocation): Promise<ExitCode | undefined>
}
