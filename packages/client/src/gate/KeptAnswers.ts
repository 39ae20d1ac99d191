/** How a gate keeps what it has asked: see KeptAnswers. */
export interface KeptAnswersOptions {
  /** How long an answer counts, in milliseconds since it was asked for. */
  readonly keepMs: number
  /** Of more answers than these the oldest are forgotten. */
  readonly most: number
  /** Unix milliseconds. */
  readonly now: () => number
}

interface Kept<Answer> {
  readonly answer: Promise<Answer>
  /** Infinite until the answer has come: those who ask meanwhile wait for it too. */
  untilMs: number
}

/** Answers that are kept for a while, so that many requests ask once. A failure is not kept. */
export class KeptAnswers<Answer> {
  readonly #kept = new Map<string, Kept<Answer>>()
  readonly #options: KeptAnswersOptions

  constructor(options: KeptAnswersOptions) {
    this.#options = options
  }

  get(key: string, ask: () => Promise<Answer>): Promise<Answer> {
    const { keepMs, most, now } = this.#options
    const askedMs = now()
    const known = this.#kept.get(key)
    if (known !== undefined && askedMs < known.untilMs) return known.answer
    const kept: Kept<Answer> = { answer: ask(), untilMs: Number.POSITIVE_INFINITY }
    // Deleted first, so that it stands at the end: the oldest is the first of a map.
    this.#kept.delete(key)
    this.#kept.set(key, kept)
    for (const oldest of this.#kept.keys()) {
      if (this.#kept.size <= most) break
      this.#kept.delete(oldest)
    }
    kept.answer.then(
      () => {
        kept.untilMs = askedMs + keepMs
      },
      () => {
        if (this.#kept.get(key) === kept) this.#kept.delete(key)
      },
    )
    return kept.answer
  }
}
