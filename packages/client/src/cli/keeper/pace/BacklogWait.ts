import type { KeeperClock } from '../ports/ports.ts'
import { fruitlessWaitMs, raceWaitMs } from './schedule.ts'

/** How long a backlog is left alone after it had no profitable remit. The backlog of a new day is another one. */
export class BacklogWait {
  readonly #clock: Pick<KeeperClock, 'now'>
  #backlog = ''
  #unprofitable = 0
  #races = 0
  #notBefore = 0

  constructor(clock: Pick<KeeperClock, 'now'>) {
    this.#clock = clock
  }

  /** Milliseconds until it may be checked again; 0 means now. */
  get remainingMs(): number {
    return Math.max(0, this.#notBefore - this.#clock.now())
  }

  /** Another backlog than the last one starts without a wait. @param backlog identifies it */
  noteBacklog(backlog: string): void {
    if (backlog !== this.#backlog) this.forget()
    this.#backlog = backlog
  }

  /** A remit succeeded: the next backlog starts without a wait. */
  forget(): void {
    this.#backlog = ''
    this.#unprofitable = 0
    this.#races = 0
    this.#notBefore = 0
  }

  /** There was no profitable remit. @returns for how many milliseconds the backlog is left alone */
  waitUnprofitable(): number {
    this.#unprofitable += 1
    return this.#wait(fruitlessWaitMs(this.#unprofitable))
  }

  /** Somebody else may have been first. @returns for how many milliseconds the backlog is left alone */
  waitAfterRace(): number {
    this.#races += 1
    return this.#wait(raceWaitMs(this.#races))
  }

  #wait(waitMs: number): number {
    this.#notBefore = this.#clock.now() + waitMs
    return waitMs
  }
}
