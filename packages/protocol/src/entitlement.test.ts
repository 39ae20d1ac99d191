import { type Random, randomOf } from '@remit/testing/differential/random'
import { EntitlementModel } from '@remit/testing/support/models/EntitlementModel'
import { trials, trialsTimeoutMs } from '@remit/testing/support/runner/trials'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { LAST_DAY } from './calendar.ts'
import {
  isEntitled,
  isWholePeriod,
  type MemberState,
  type MembershipLife,
  memberState,
  paidThrough,
} from './entitlement.ts'
import { CALLER_FEE } from './fees.ts'
import { type Frequency, parseFrequency } from './subscription.ts'

const LIVES = trials({ short: 400, nightly: 10_000 })
const STEPS = 60
/** 1 January 2026. */
const BEGIN = 20_454
const DUE_DAYS: Readonly<Record<Frequency, number>> = { 0: 7, 1: 28, 2: 90, 3: 365 }

/** One account, one subscription and remit, with what the index would know of them. */
class Life {
  readonly model: EntitlementModel
  readonly #random: Random
  readonly #terms: Pick<MembershipLife, 'frequency' | 'dueDay'>
  today = BEGIN
  /** The first day that remit has not finished. */
  #unchecked: number
  /** Whether remit has broken off on that day, with this account charged. */
  #isPageDone = false
  #isCancelled = false
  #record: Omit<MembershipLife, 'frequency' | 'dueDay'> | undefined

  constructor(random: Random) {
    this.#random = random
    const frequency = parseFrequency(Number(random.weighted({ 0: 4, 1: 4, 2: 2, 3: 1 })))
    this.#terms = { frequency, dueDay: 1 + random.below(DUE_DAYS[frequency]) }
    this.#unchecked = BEGIN - random.below(20)
    this.model = new EntitlementModel(this.#terms, this.#unchecked - 1)
  }

  /** As the index and the chain have it; `undefined` for one who never was a member. */
  get membership(): MembershipLife | undefined {
    const record = this.#record
    if (record === undefined) return undefined
    const unchecked = record.state === 'active' ? this.#unchecked : record.unchecked
    return { ...this.#terms, ...record, unchecked }
  }

  step(): string {
    const act = this.#random.weighted({ wait: 6, remit: 8, subscribe: 3, leave: 1, remove: 1, cancel: 1 })
    switch (act) {
      case 'wait':
        this.today += 1 + this.#random.below(this.#random.oneIn(6) ? 120 : 8)
        break
      case 'remit':
        for (let days = 1 + this.#random.below(40); days > 0 && this.#unchecked <= this.today; days -= 1) {
          if (!this.#remitDay()) break
        }
        break
      case 'subscribe':
        this.#subscribe()
        break
      case 'leave':
        this.#end('left')
        break
      case 'remove':
        this.#end('removed')
        break
      case 'cancel':
        if (this.#random.oneIn(4)) {
          this.#end('cancelled')
          this.#isCancelled = true
        }
    }
    return act
  }

  /** @returns whether the day was finished */
  #remitDay(): boolean {
    const day = this.#unchecked
    const isDue = this.#record?.state === 'active' && this.model.isDue(day)
    if (isDue && !this.#isPageDone) {
      const outcome = this.#random.weighted({ pays: 12, passes: 3, drops: 1 })
      this.model.remitChecks(day, outcome)
      if (outcome === 'drops') this.#end('dropped')
      if (outcome === 'pays' && this.#record !== undefined) {
        this.#record = { ...this.#record, lastPaidDay: day }
        this.#isPageDone = this.#random.oneIn(5)
        if (this.#isPageDone) return false
      }
    } else if (!this.#isPageDone) this.model.remitChecks(day, 'passes')
    this.#isPageDone = false
    this.#unchecked = day + 1
    return true
  }

  #subscribe(): void {
    // While a page is open, the contract lets nobody subscribe ("24").
    if (this.#isCancelled || this.#isPageDone || this.#record?.state === 'active') return
    this.model.subscribe(this.today)
    this.#record = {
      state: 'active',
      joinedDay: this.today,
      isPaidAtJoin: this.#unchecked > this.today,
      lastPaidDay: null,
      unchecked: 0,
    }
  }

  #end(state: Exclude<MemberState, 'active'>): void {
    if (this.#record?.state !== 'active') return
    if (state !== 'dropped') this.model.end()
    this.#record = { ...this.#record, state, unchecked: this.#unchecked }
  }
}

describe('entitlement', () => {
  it('knows what ended a membership', () => {
    const ends = [null, 'left', 'removed', 'dropped', 'cleanedUp'] as const
    expect(ends.map(memberState)).toEqual(['active', 'left', 'removed', 'dropped', 'cancelled'])
  })

  it('has no last day once nothing will be due until the end of the calendar, and lasts then', () => {
    const joinedDay = LAST_DAY - 3
    const life = { frequency: 3, dueDay: 1, state: 'left', joinedDay, lastPaidDay: null } as const
    const last = paidThrough({ ...life, isPaidAtJoin: false, unchecked: joinedDay })
    expect(last).toBeNull()
    const ends: MemberState[] = ['left', 'removed', 'cancelled', 'dropped']
    const entitled = ends.map((state) =>
      isEntitled({ state, paidThrough: last }, { today: LAST_DAY, graceDays: 0 }),
    )
    expect(entitled).toEqual([true, true, true, false])
  })

  it(
    `is what the model says, in ${LIVES} lives of a member`,
    () => {
      const seen = new Set<string>()
      for (let seed = 1; seed <= LIVES; seed += 1) {
        const random = randomOf(seed)
        const life = new Life(random)
        const trace: string[] = []
        for (let step = 0; step < STEPS; step += 1) {
          trace.push(`${life.today} ${life.step()}`)
          const { membership, model, today } = life
          const where = `seed ${seed}: ${trace.slice(-12).join(', ')}`
          const last = membership && paidThrough(membership)
          for (const graceDays of [0, 1, random.below(40)]) {
            const expected = model.isEntitled(today, graceDays)
            const { state } = membership ?? {}
            const entitled =
              state === undefined || last === undefined
                ? undefined
                : isEntitled({ state, paidThrough: last }, { today, graceDays })
            seen.add(`${state} ${entitled}`)
            expect(entitled, where).toBe(expected)
          }
          if (last !== undefined) expect(last, where).toBe(model.paidThrough)
        }
      }
      expect([...seen].sort()).toEqual([
        'active true',
        'cancelled false',
        'cancelled true',
        'dropped false',
        'left false',
        'left true',
        'removed false',
        'removed true',
        'undefined undefined',
      ])
    },
    trialsTimeoutMs(60_000),
  )
})

it('the whole period is told from the largest fee of a caller, also where a token keeps half of what it moves', () => {
  fc.assert(
    fc.property(fc.bigInt({ min: 1n, max: 10n ** 30n }), (amount) => {
      const callerAmount = (amount * CALLER_FEE.most) / CALLER_FEE.least - amount
      expect(
        [amount, amount - amount / 2n, callerAmount].map((taken) => isWholePeriod(taken, amount)),
      ).toEqual([true, true, false])
    }),
  )
})
