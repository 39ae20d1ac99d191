import type { AmountRange } from '@remit/engine/ports/history'
import { type RawBuilder, type SqlBool, sql } from 'kysely'

/** As the column `amount_order` has it. Bounds of callers have 96 digits at most. */
function amountOrder(amount: bigint): string {
  const digits = amount.toString()
  return `${String(digits.length).padStart(2, '0')}${digits}`
}

/** After the order of every amount. */
const ABOVE_ALL = ':'

function boundsOf({ least, most }: Pick<AmountRange, 'least' | 'most'>) {
  return { least: amountOrder(least), most: most === null ? ABOVE_ALL : amountOrder(most) }
}

export function isWithin(
  { token, amount_order }: { readonly token: string; readonly amount_order: string },
  amounts: readonly AmountRange[],
): boolean {
  return amounts.some((range) => {
    const { least, most } = boundsOf(range)
    const isToken = range.tokens.some((one) => one.toLowerCase() === token)
    return isToken && amount_order >= least && amount_order <= most
  })
}

/**
 * The same in SQL: first one range, by which an index is walked, and then the token's own where these differ, which is by
 * less than a unit of the coarsest token.
 * @param column the column, or the same as an expression, which keeps a database from choosing its index
 */
export function within(amounts: readonly AmountRange[], column: RawBuilder<string>): RawBuilder<SqlBool> {
  const bounds = amounts.map(boundsOf)
  const least = bounds.map((bound) => bound.least).sort()[0] ?? ABOVE_ALL
  const most =
    bounds
      .map((bound) => bound.most)
      .sort()
      .at(-1) ?? ''
  const own = amounts.map((range, index) => {
    const tokens = sql.join(range.tokens.map((token) => token.toLowerCase()))
    const isOwn = sql`amount_order >= ${bounds[index]?.least} and amount_order <= ${bounds[index]?.most}`
    return sql`(token in (${tokens}) and ${isOwn})`
  })
  const owned = own.length > 1 ? sql` and (${sql.join(own, sql` or `)})` : sql``
  return sql<SqlBool>`(${column} >= ${least} and ${column} <= ${most}${owned})`
}
