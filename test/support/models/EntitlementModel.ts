/** The terms that a model needs: how often, and on which day of the week, month, quarter or year. */
export interface ModelTerms {
  readonly frequency: number
  readonly dueDay: number
}

/**
 * Who is entitled, as docs/history.md, "Has somebody paid?", says it. It follows a membership event by event and finds due
 * days by looking at one date after the other.
 */
export class EntitlementModel {
  readonly #terms: ModelTerms
  #paidThrough = Number.NEGATIVE_INFINITY
  #state: 'never' | 'active' | 'ended' | 'dropped' = 'never'
  /** The last day that remit has checked. */
  #checked: number

  constructor(terms: ModelTerms, checked: number) {
    this.#terms = terms
    this.#checked = checked
  }

  get paidThrough(): number {
    return this.#paidThrough
  }

  /**
   * The first charge pays up to the next due day. On a due day that remit has still to check, it pays for that day alone.
   */
  subscribe(day: number): void {
    this.#state = 'active'
    const isUnchecked = day > this.#checked
    this.#paidThrough = this.isDue(day) && isUnchecked ? day : this.#dueAfter(day) - 1
  }

  /**
   * A charge, or a due day that remit passes without charging, pays up to the due day after it. A payment for an older day
   * takes nothing back.
   */
  remitChecks(day: number, outcome: 'pays' | 'passes' | 'drops'): void {
    this.#checked = day
    if (this.#state !== 'active' || !this.isDue(day)) return
    // A drop ends it at once, without grace.
    if (outcome === 'drops') this.#state = 'dropped'
    else this.#paidThrough = Math.max(this.#paidThrough, this.#dueAfter(day) - 1)
  }

  /** Leaving, removal and the cancellation. What is paid for stays paid for. */
  end(): void {
    if (this.#state === 'active') this.#state = 'ended'
  }

  /** `undefined` for one who never was a member. */
  isEntitled(today: number, graceDays: number): boolean | undefined {
    switch (this.#state) {
      case 'never':
        return undefined
      // While remit is behind, nobody can know yet whether a member will pay.
      case 'active':
        return this.#checked < this.#paidThrough + 1
      case 'ended':
        return today <= this.#paidThrough + graceDays
      case 'dropped':
        return false
    }
  }

  isDue(day: number): boolean {
    const date = new Date(day * 86_400_000)
    const [month, year] = [date.getUTCMonth(), date.getUTCFullYear()]
    const since = (begin: number) => day - begin / 86_400_000 + 1
    switch (this.#terms.frequency) {
      case 0:
        return (date.getUTCDay() || 7) === this.#terms.dueDay
      case 1:
        return date.getUTCDate() === this.#terms.dueDay
      case 2:
        return since(Date.UTC(year, month - (month % 3), 1)) === this.#terms.dueDay
      default:
        return since(Date.UTC(year, 0, 1)) === this.#terms.dueDay
    }
  }

  #dueAfter(day: number): number {
    for (let next = day + 1; ; next += 1) if (this.isDue(next)) return next
  }
}
