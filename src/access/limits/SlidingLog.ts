/** For most callers a bucket holds one or two admissions. */
const LEAST_CAPACITY = 2

/**
 * The times of admissions, oldest first, in a ring buffer that grows.
 *
 * It is a plain array of exact size, to save memory: an empty typed array takes 200 bytes, and `push` makes room for 17
 * more entries.
 */
export class SlidingLog {
  #times: number[] = emptyTimes(LEAST_CAPACITY)
  #first = 0
  #size = 0

  get size(): number {
    return this.#size
  }

  /** The time at a place, 0 being the oldest. */
  at(place: number): number {
    return this.#times[this.#slot(place)] ?? 0
  }

  add(time: number): void {
    if (this.#size === this.#times.length) this.#resize(this.#size * 2)
    this.#times[this.#slot(this.#size)] = time
    this.#size += 1
  }

  /** Removes the admissions at that time or before. */
  dropUntil(time: number): void {
    while (this.#size > 0 && this.at(0) <= time) {
      this.#first = this.#slot(1)
      this.#size -= 1
    }
    if (this.#size === 0 && this.#times.length > LEAST_CAPACITY) this.#resize(LEAST_CAPACITY)
  }

  /** Removes one admission of exactly that time, if it is still there. */
  remove(time: number): void {
    for (let place = this.#size - 1; place >= 0; place -= 1) {
      if (this.at(place) !== time) continue
      for (let later = place + 1; later < this.#size; later += 1) {
        this.#times[this.#slot(later - 1)] = this.at(later)
      }
      this.#size -= 1
      return
    }
  }

  #slot(place: number): number {
    // Capacities are powers of two.
    return (this.#first + place) & (this.#times.length - 1)
  }

  #resize(capacity: number): void {
    const times = emptyTimes(capacity)
    for (let place = 0; place < this.#size; place += 1) times[place] = this.at(place)
    this.#times = times
    this.#first = 0
  }
}

function emptyTimes(capacity: number): number[] {
  return new Array<number>(capacity).fill(0)
}
