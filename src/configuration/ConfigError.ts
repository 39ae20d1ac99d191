/** The environment says something that cannot be meant; each sentence names its variable. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError'
  readonly sentences: readonly string[]

  constructor(sentences: string | readonly string[], options: { cause?: unknown } = {}) {
    const all = typeof sentences === 'string' ? [sentences] : [...new Set(sentences)]
    super(all.length === 1 ? all[0] : [`${all.length} settings are wrong:`, ...all].join('\n- '), options)
    this.sentences = all
  }
}

/** Reads one part after the other, so that an operator is told of everything that is wrong at once. */
export class Problems {
  readonly #sentences: string[] = []

  /** What a part reads, or `undefined` where it threw ConfigError, which is kept. */
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

/** What each part reads, under its name. Throws one ConfigError with the sentences of all. */
export function readAll<P extends Parts>(parts: P): { readonly [Name in keyof P]: ReturnType<P[Name]> } {
  const problems = new Problems()
  const values = Object.entries(parts).map(([name, read]) => [name, problems.of(read)])
  problems.throwIfAny()
  // Safe: none of them threw, so that under each name stands what its own part returned.
  return Object.fromEntries(values) as { readonly [Name in keyof P]: ReturnType<P[Name]> }
}
