/** Rows of one transaction. It must be short, because others wait for it. */
const BATCH = 500

const NOTED_EVERY_MS = 60_000

export interface KeyUsesOptions {
  /** Writes uses down: unix milliseconds by the key's id. */
  note(uses: readonly (readonly [id: string, usedAt: number])[]): Promise<void>
  readonly everyMs?: number
}

/** Keeps in memory when keys were last used, and writes it once a minute and when the process ends. */
export class KeyUses {
  readonly #note: KeyUsesOptions['note']
  readonly #timer: NodeJS.Timeout
  #uses = new Map<string, number>()
  #writing: Promise<void> = Promise.resolve()

  constructor({ note, everyMs = NOTED_EVERY_MS }: KeyUsesOptions) {
    this.#note = note
    this.#timer = setInterval(() => void this.write(), everyMs).unref()
  }

  /** @param usedAt unix milliseconds */
  used(id: string, usedAt: number): void {
    this.#uses.set(id, usedAt)
  }

  /** Writes the uses that are not written yet. Where that fails, they are kept for the next time. Never throws. */
  write(): Promise<void> {
    this.#writing = this.#writing.then(() => this.#writeAll())
    return this.#writing
  }

  async close(): Promise<void> {
    clearInterval(this.#timer)
    await this.write()
  }

  async #writeAll(): Promise<void> {
    const uses = [...this.#uses]
    this.#uses = new Map()
    for (let first = 0; first < uses.length; first += BATCH) {
      try {
        await this.#note(uses.slice(first, first + BATCH))
      } catch {
        // The store is away. The next look-up of a key logs it.
        this.#keep(uses.slice(first))
        return
      }
    }
  }

  #keep(uses: readonly (readonly [string, number])[]): void {
    for (const [id, usedAt] of uses) {
      if (!this.#uses.has(id)) this.#uses.set(id, usedAt)
    }
  }
}
