import { UsageError } from './CliError.ts'

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
