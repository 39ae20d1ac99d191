import { nthDueDay } from '@remit/protocol/calendar'
import { parseFrequency } from '@remit/protocol/subscription'
import type { Selectable, Transaction } from 'kysely'
import type { VerdictsTable } from '../../../store/indexTables.ts'
import type { Tables } from '../../../store/tables.ts'
import { inChunks } from '../columns.ts'
import { addCounts } from '../step/counts.ts'

/**
 * The kinds of `verdict_counts`, stored as their places here: the order is part of the store. `read` counts the memberships that
 * have a verdict, at day 0 because it is about no day; the others count expected charges by day and outcome.
 */
export const KINDS = ['read', 'paid', 'filled', 'failed', 'blocked', 'skipped'] as const

const READ = 0

/** The letters of `Verdict.charges`, each at the place of its kind in KINDS; a space for `read`, which has none. */
const LETTERS = ' PFXBS'

type Counted = Pick<
  Selectable<VerdictsTable>,
  'provider' | 'subscription_id' | 'frequency' | 'due_day' | 'first_day' | 'charges'
>

interface Change {
  readonly provider: string
  readonly subscription_id: string
  readonly day_number: number
  readonly kind: number
  count: number
}

/** Adds up how changed verdicts change `verdict_counts`: how many charges of each outcome a day brings. Each count is written once. */
export class VerdictCounts {
  readonly #changes = new Map<string, Change>()

  add(verdict: Counted): void {
    this.#countCharges(verdict, 1)
  }

  remove(verdict: Counted): void {
    this.#countCharges(verdict, -1)
  }

  /** A count of zero has no row. */
  async write(db: Transaction<Tables>, chainId: number): Promise<void> {
    const changed = [...this.#changes.values()].filter(({ count }) => count !== 0)
    const rows = changed.map((change) => ({ chain_id: chainId, ...change }))
    const key = ['chain_id', 'provider', 'subscription_id', 'day_number', 'kind'] as const
    await addCounts(db, 'verdict_counts', key, ['count'], rows)
    const fewer = rows.filter(({ count }) => count < 0)
    await inChunks(fewer, (chunk) => {
      const providers = chunk.map(({ provider }) => provider)
      const ids = chunk.map(({ subscription_id }) => subscription_id)
      const some = db.deleteFrom('verdict_counts').where('chain_id', '=', chainId)
      return some
        .where('provider', 'in', providers)
        .where('subscription_id', 'in', ids)
        .where('count', '=', 0)
        .execute()
    })
  }

  #countCharges(verdict: Counted, sign: 1 | -1): void {
    const { provider, subscription_id, charges } = verdict
    // Not read yet.
    if (charges === null) return
    this.#add({ provider, subscription_id, day_number: 0, kind: READ, count: sign })
    for (const [index, day_number] of chargeDays(verdict).entries()) {
      const kind = LETTERS.indexOf(charges.charAt(index))
      this.#add({ provider, subscription_id, day_number, kind, count: sign })
    }
  }

  #add({ count, ...change }: Change): void {
    const key = `${change.subscription_id}:${change.day_number}:${change.kind}`
    const known = this.#changes.get(key)
    if (known === undefined) this.#changes.set(key, { ...change, count })
    else known.count += count
  }
}

/** The day number of each letter in `charges`. */
function chargeDays({ frequency, due_day, first_day, charges }: Counted): number[] {
  if (first_day === null || charges === null) return []
  return Array.from({ length: charges.length }, (_, index) => {
    const day = nthDueDay(parseFrequency(frequency), due_day, first_day, index + 1)
    if (day === undefined) throw new RangeError('a verdict goes past the calendar’s end')
    return day
  })
}
