import type { Facts, Journal, KeeperClock } from '../ports/ports.ts'

/** The keeper's journal. It can print a repeated message only once. */
export class KeeperLog implements Journal {
  readonly #journal: Journal
  readonly #clock: Pick<KeeperClock, 'now'>
  readonly #said = new Set<string>()

  constructor(journal: Journal, clock: Pick<KeeperClock, 'now'>) {
    this.#journal = journal
    this.#clock = clock
  }

  tell(event: string, message: string, facts: Facts = {}): void {
    this.#journal.tell(event, message, facts)
  }

  /** @param key identifies a message that is printed only once */
  tellOnce(key: string, event: string, message: string, facts: Facts = {}): void {
    if (this.#said.has(key)) return
    this.#said.add(key)
    this.tell(event, message, facts)
  }

  /** "at 2026-03-02T12:00:00Z", so many milliseconds from now. */
  timeAfter(ms: number): string {
    return `at ${new Date(this.#clock.now() + ms).toISOString().slice(0, 19)}Z`
  }
}
