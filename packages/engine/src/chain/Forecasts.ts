import { LAST_DAY } from '@remit/protocol/calendar'
import { ForecastUnavailableError } from '../errors/chain.ts'
import type { ChainForecast, Forecaster } from '../ports/forecasts.ts'
import type { BlockRef } from '../ports/history.ts'
import type { Log } from '../ports/log.ts'
import { pause } from '../waiting/pause.ts'

/** How far a forecast reaches, in days after the day on which it is made: a month, a quarter, a year. */
const REACHES = [31, 92, 366] as const

/** A forecast is not used any more once its block has not been the newest for so long. */
const MOST_AGE_MS = 60_000
/** After a failure, callers who still have a usable forecast get that one for so long, before another attempt. */
const AGAIN_AFTER_MS = 1_000

/** How often forecasts are made, and how long they are waited for. */
export interface ForecastTimes {
  /** At this age a forecast is made again if the chain has a new block; default 5 s. */
  readonly everyMs: number
  /** How long a caller waits for a newer one while the one before is usable; default 250 ms. */
  readonly patienceMs: number
  /** How long a caller waits where there is none; default 10 s. */
  readonly mostWaitMs: number
}

const TIMES: ForecastTimes = { everyMs: 5_000, patienceMs: 250, mostWaitMs: 10_000 }

/** What a caller knows of the chain, and what the forecast must include. */
export interface ForecastAsker {
  /** The newest block that is known. */
  readonly head: BlockRef
  /** The chain's clock, unix seconds, and its day. */
  readonly now: number
  readonly today: number
  /** The forecast must have been made at this block or a later one. */
  readonly minBlock?: number | undefined
}

/** A forecast that was made. */
interface Made {
  readonly forecast: ChainForecast
  /** Milliseconds of `now`. */
  readonly begunAt: number
  /** When its block was last known to be the newest: by the process's clock in milliseconds, and by the chain's. */
  newestAt: { readonly ms: number; readonly chainSeconds: number }
}

/** The forecast of one reach. */
interface Slot {
  /** Days: one of REACHES. */
  readonly reach: number
  made?: Made
  /** The making that is under way. It never rejects: it resolves with the failure, or with `undefined` once `made` is the new one. */
  making?: Promise<Error | undefined>
  /** Milliseconds of `now`. */
  failedAt?: number
}

/**
 * The forecasts of one chain: what remit will charge on the days to come, and where it will stop, as the state of one block
 * decides. Making one takes seconds of a processor. So each is made once for all who ask, every few seconds at most, and read
 * by everybody until the next one is there. If making one takes long, they grow older, up to a minute.
 *
 * There is one slot for each reach, with the newest forecast that reaches so far and the one that is being made. A forecast is
 * made when somebody asks (`get`), never by a timer.
 */
export class Forecasts {
  readonly #chainId: number
  readonly #forecaster: Forecaster
  readonly #log: Log
  readonly #times: ForecastTimes
  readonly #now: () => number
  #slots = new Map<number, Slot>()

  /** @param options.now a clock in milliseconds */
  constructor(options: {
    chainId: number
    forecaster: Forecaster
    log: Log
    times?: Partial<ForecastTimes> | undefined
    now?: () => number
  }) {
    this.#chainId = options.chainId
    this.#forecaster = options.forecaster
    this.#log = options.log
    this.#times = { ...TIMES, ...options.times }
    this.#now = options.now ?? (() => performance.now())
  }

  /** A block was replaced, so forecasts that were made at it, or are being made, are discarded. */
  forget(): void {
    this.#slots = new Map()
  }

  /**
   * The newest forecast that reaches a day. Throws ForecastUnavailableError where there is none of the last minute, and
   * none can be made in time.
   */
  async get(asker: ForecastAsker, throughDay: number): Promise<ChainForecast> {
    const deadline = this.#now() + this.#times.mostWaitMs
    for (;;) {
      const slot = this.#slot(throughDay - asker.today)
      const usable = this.#usable(slot, asker, throughDay)
      if (usable !== undefined) {
        if (this.#isTooEarly(slot, asker)) return usable
        await Promise.race([this.#make(slot, asker), pause(this.#times.patienceMs)])
        return this.#usable(slot, asker, throughDay) ?? usable
      }
      const leftMs = deadline - this.#now()
      if (leftMs <= 0) throw new ForecastUnavailableError(this.#chainId)
      const failure = await Promise.race([this.#make(slot, asker), pause(leftMs)])
      if (failure !== undefined) throw new ForecastUnavailableError(this.#chainId, { cause: failure })
    }
  }

  /** The slot of the shortest reach that covers so many days. */
  #slot(days: number): Slot {
    const reach = REACHES.find((most) => days <= most)
    if (reach === undefined) throw new RangeError(`no forecast reaches ${days} days ahead`)
    const known = this.#slots.get(reach)
    if (known !== undefined) return known
    const slot: Slot = { reach }
    this.#slots.set(reach, slot)
    return slot
  }

  /** The forecast of a slot, if it reaches far enough and is not too old for the asker. Notes when its block was still the newest. */
  #usable(
    { made }: Slot,
    { head, now, minBlock = 0 }: ForecastAsker,
    throughDay: number,
  ): ChainForecast | undefined {
    if (made === undefined) return undefined
    const { forecast } = made
    const { number, hash } = forecast.madeAt
    if (number < minBlock || forecast.lastDay < throughDay) return undefined
    if (hash === head.hash) made.newestAt = { ms: this.#now(), chainSeconds: now }
    const { ms, chainSeconds } = made.newestAt
    // The older by either clock: a development chain's clock jumps ahead, and the process's does not follow.
    const ageMs = Math.max(this.#now() - ms, (now - chainSeconds) * 1_000)
    return ageMs > MOST_AGE_MS ? undefined : forecast
  }

  /** Whether it is too early for another one: this one is of the newest block or a few seconds old, or an attempt has just failed. */
  #isTooEarly({ made, failedAt = Number.NEGATIVE_INFINITY }: Slot, { head }: ForecastAsker): boolean {
    if (made === undefined) return false
    const now = this.#now()
    const isNew = made.forecast.madeAt.hash === head.hash || now - made.begunAt < this.#times.everyMs
    return isNew || now - failedAt < AGAIN_AFTER_MS
  }

  /** Makes one, or waits for the one that is being made. Resolves with the failure, if it fails. */
  #make(slot: Slot, { head, now, today }: ForecastAsker): Promise<Error | undefined> {
    if (slot.making !== undefined) return slot.making
    const begunAt = this.#now()
    // A day more than it reaches: asked for after midnight, the same reach ends a day later.
    const lastDay = Math.min(today + slot.reach + 1, LAST_DAY)
    const question = { chainId: this.#chainId, block: head, now, lastDay }
    const making = this.#forecaster.make(question).then(
      (foreseen) => {
        const newestAt = { ms: begunAt, chainSeconds: now }
        slot.made = { forecast: { ...foreseen, madeAt: head }, begunAt, newestAt }
        delete slot.making
        return undefined
      },
      (error: Error) => {
        slot.failedAt = this.#now()
        delete slot.making
        this.#log.warn('A forecast could not be made', { chainId: this.#chainId, reason: error.message })
        return error
      },
    )
    slot.making = making
    return making
  }
}
