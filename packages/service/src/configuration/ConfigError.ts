/** The environment, or a command line, is invalid. Each sentence names what is wrong and is meant for the operator. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError'
  readonly sentences: readonly string[]

  constructor(sentences: string | readonly string[], options: { cause?: unknown } = {}) {
    const all = typeof sentences === 'string' ? [sentences] : [...new Set(sentences)]
    super(all.length === 1 ? all[0] : [`${all.length} settings are wrong:`, ...all].join('\n- '), options)
    this.sentences = all
  }
}

/** Collects errors, so that an operator sees everything that is wrong at once. */
export class Problems {
  readonly #sentences: string[] = []

  /** The value of a part; `undefined` where it threw ConfigError, which is collected. */
  of<T>(read: () => T): T | undefined {
    try {
      return read()
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error
      this.#sentences.push(...error.sentences)
      return undefined
    }
  }

  /** Throws ConfigError where any part did. */
  throwIfAny(): void {
    if (this.#sentences.length > 0) throw new ConfigError(this.#sentences)
  }
}

type Parts = Readonly<Record<string, () => unknown>>

/** Reads all parts, by name. Throws one ConfigError with the sentences of all. */
export function readAll<P extends Parts>(parts: P): { readonly [Name in keyof P]: ReturnType<P[Name]> } {
  const problems = new Problems()
  const values = Object.entries(parts).map(([name, read]) => [name, problems.of(read)])
  problems.throwIfAny()
  // Safe: none of them threw, so that under each name stands what its own part returned.
  return Object.fromEntries(values) as { readonly [Name in keyof P]: ReturnType<P[Name]> }
}
