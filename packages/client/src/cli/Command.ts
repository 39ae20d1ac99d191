import type { Connection } from './Connection.ts'
import { type ExitCode, UsageError } from './errors.ts'
import type { Terminal } from './output/Terminal.ts'

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

/** The variables of the process. */
export type Environment = Readonly<Record<string, string | undefined>>

/** The options of one command line, by name. */
export class Flags {
  readonly #values: Readonly<Record<string, unknown>>

  constructor(values: Readonly<Record<string, unknown>>) {
    this.#values = values
  }

  /** Whether an option without a value is given. */
  isSet(name: string): boolean {
    return this.#values[name] === true
  }

  text(name: string): string | undefined {
    const value = this.#values[name]
    return typeof value === 'string' ? value : undefined
  }

  /** All values of an option that may be given more than once. */
  list(name: string): string[] {
    const value = this.#values[name]
    return Array.isArray(value) ? value.filter((each) => typeof each === 'string') : []
  }

  /** A whole number; `undefined` where the option is not given. Throws UsageError. */
  whole(
    name: string,
    { min, max = Number.MAX_SAFE_INTEGER }: { min: number; max?: number },
  ): number | undefined {
    const text = this.text(name)
    if (text === undefined) return undefined
    const value = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN
    if (value >= min && value <= max) return value
    const range = max === Number.MAX_SAFE_INTEGER ? `from ${min} on` : `from ${min} to ${max}`
    throw new UsageError(`--${name} must be a whole number ${range}, not "${text}".`)
  }
}
