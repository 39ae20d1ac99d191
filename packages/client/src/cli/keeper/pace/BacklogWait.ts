import type { KeeperClock } from '../ports/ports.ts'
import { fruitlessWaitMs, raceWaitMs } from './schedule.ts'

/** How long a backlog is left alone after it had no profitable remit. The backlog of a new day is another one. */
export class BacklogWait {
  readonly #clock: Pick<KeeperClock, 'now'>
  #backlog = ''
  #vain = 0
  #races = 0
  #notBefore = 0

  constructor(clock: Pick<KeeperClock, 'now'>) {
    this.#clock = clock
  }

  /** Milliseconds until it may be checked again; 0 means now. */
  get heldMs(): number {
    return Math.max(0, this.#notBefore - this.#clock.now())
  }

  /** @param backlog identifies the backlog */
  meet(backlog: string): void {
    if (backlog !== this.#backlog) this.forget()
    this.#backlog = backlog
  }

  /** A remit succeeded: the next backlog starts without a wait. */
  forget(): void {
    this.#backlog = ''
    this.#vain = 0
    this.#races = 0
    this.#notBefore = 0
  }

  /** There was no profitable remit. @returns for how many milliseconds the backlog is left alone */
  holdVain(): number {
    this.#vain += 1
    return this.#hold(fruitlessWaitMs(this.#vain))
  }

  /** Somebody else may have been first. @returns for how many milliseconds the backlog is left alone */
  holdRace(): number {
    this.#races += 1
    return this.#hold(raceWaitMs(this.#races))
  }

  #hold(waitMs: number): number {
    this.#notBefore = this.#clock.now() + waitMs
    return waitMs
  }
}
