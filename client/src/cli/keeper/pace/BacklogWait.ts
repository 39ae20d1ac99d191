import type { KeeperClock } from '../ports/ports.ts'
import { fruitlessWaitMs, raceWaitMs } from './schedule.ts'

/** How long a backlog is left alone after nothing was to be had from it. A new day's is another backlog. */
export class BacklogWait {
  readonly #clock: Pick<KeeperClock, 'now'>
  #backlog = ''
  #vain = 0
  #races = 0
  #notBefore = 0

  constructor(clock: Pick<KeeperClock, 'now'>) {
    this.#clock = clock
  }

  /** Milliseconds until it may be looked at again; 0 for now. */
  get heldMs(): number {
    return Math.max(0, this.#notBefore - this.#clock.now())
  }

  /** @param backlog what it is known by */
  meet(backlog: string): void {
    if (backlog !== this.#backlog) this.forget()
    this.#backlog = backlog
  }

  /** It went well: whatever comes next is new. */
  forget(): void {
    this.#backlog = ''
    this.#vain = 0
    this.#races = 0
    this.#notBefore = 0
  }

  /** Nothing was to be had. @returns for how many milliseconds it is left alone */
  holdVain(): number {
    this.#vain += 1
    return this.#hold(fruitlessWaitMs(this.#vain))
  }

  /** Somebody else may have been first. @returns for how many milliseconds it is left alone */
  holdRace(): number {
    this.#races += 1
    return this.#hold(raceWaitMs(this.#races))
  }

  #hold(waitMs: number): number {
    this.#notBefore = this.#clock.now() + waitMs
    return waitMs
  }
}
