import { nthDueDay } from '@remit/protocol/calendar'
import { parseFrequency } from '@remit/protocol/subscription'
import type { Selectable, Transaction } from 'kysely'
import type { VerdictsTable } from '../../../store/indexTables.ts'
import type { Tables } from '../../../store/tables.ts'
import { inChunks } from '../columns.ts'
import { addCounts } from '../step/stepRows.ts'

/**
 * The kinds of `verdict_counts`, stored as their places here: the order is part of the store. The first counts memberships of
 * which a verdict was read. That is of no day, and stands at day 0.
 */
export const KINDS = ['read', 'paid', 'filled', 'failed', 'blocked', 'skipped'] as const

const READ = 0

/** The letters of `Verdict.charges`, each at the place of its kind. */
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

/** Adds up how verdicts change the counts of their days, so that each count is written once. */
export class VerdictCounts {
  readonly #changes = new Map<string, Change>()

  add(row: Counted): void {
    this.#addRow(row, 1)
  }

  remove(row: Counted): void {
    this.#addRow(row, -1)
  }

  /** A count of zero has no row. */
  async write(db: Transaction<Tables>, chainId: number): Promise<void> {
    const changed = [...this.#changes.values()].filter(({ count }) => count !== 0)
    const rows = changed.map((change) => ({ chain_id: chainId, ...change }))
    const key = ['chain_id', 'provider', 'subscription_id', 'day_number', 'kind'] as const
    await addCounts(db, 'verdict_counts', key, ['count'], rows)
    const fewer = rows.filter(({ count }) => count < 0)
    await inChunks(fewer, (chunk) =>
      db
        .deleteFrom('verdict_counts')
        .where('chain_id', '=', chainId)
        .where(
          'provider',
          'in',
          chunk.map(({ provider }) => provider),
        )
        .where(
          'subscription_id',
          'in',
          chunk.map(({ subscription_id }) => subscription_id),
        )
        .where('count', '=', 0)
        .execute(),
    )
  }

  #addRow(row: Counted, sign: 1 | -1): void {
    const { provider, subscription_id, charges } = row
    if (charges === null) return
    this.#add({ provider, subscription_id, day_number: 0, kind: READ, count: sign })
    for (const [place, day_number] of chargeDays(row).entries()) {
      const kind = LETTERS.indexOf(charges.charAt(place))
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

function chargeDays({ frequency, due_day, first_day, charges }: Counted): number[] {
  if (first_day === null || charges === null) return []
  return Array.from({ length: charges.length }, (_, index) => {
    const day = nthDueDay(parseFrequency(frequency), due_day, first_day, index + 1)
    if (day === undefined) throw new RangeError('a verdict goes past the calendar’s end')
    return day
  })
}
