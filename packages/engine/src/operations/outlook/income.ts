import { toRaw } from '@remit/protocol/amounts'
import { feeFill, splitToRaw } from '@remit/protocol/fees'
import type { Address } from 'viem'
import * as z from 'zod'
import type { LastingToken } from '../../ports/chainReads.ts'
import type { ExpectedCharges } from '../../ports/verdicts.ts'
import { toDay } from '../../presentation/day.ts'
import { quantity, toToken } from '../../presentation/token.ts'
import { Quantity, Token } from '../../schema/amount.ts'
import { Day } from '../../schema/numbers.ts'

const NET = 'What reaches the provider, without what fills fee balances.'

// A page break: a call of remit() has charged maxRemits subscribers and ends in the middle of a day, and those after it may pass over some of
// that day's charges. The kinds of charges are those of `ExpectedCharges` (ports/verdicts.ts).

export const TokenTotals = z.object({
  token: Token,
  income: Quantity.describe(NET),
  waiting: Quantity.describe('What waits, because remit stops before it.'),
  missed: Quantity.describe(
    'Full periods that fail. What is left of their fee balances goes to the provider and is not in `income`.',
  ),
  charges: z.int().describe('How many pay.'),
  skipped: z
    .int()
    .describe(
      'How many remit does not charge any more: their token is paused, a page break passes over them, or they were charged on a ' +
        'day that remit has not finished yet.',
    ),
  waits: z.int(),
  fails: z.int(),
})

export const DayIncome = TokenTotals.extend(Day.shape)

/** Amounts are in the token's raw units. */
interface Sum {
  readonly token: LastingToken
  income: bigint
  waiting: bigint
  missed: bigint
  charges: number
  skipped: number
  waits: number
  fails: number
}

/**
 * What a provider receives by day and token, and in all.
 * @param context.blockedDay the day from which remit reverts: every charge of that day and later waits
 */
export function incomeOf(
  expected: readonly ExpectedCharges[],
  context: { readonly tokenOf: (address: Address) => LastingToken; readonly blockedDay: number | undefined },
) {
  const { tokenOf, blockedDay } = context
  const days = new Map<string, Sum & { readonly dayNumber: number }>()
  const totals = new Map<Address, Sum>()
  for (const charges of expected) {
    const { terms, dayNumber } = charges
    const token = tokenOf(terms.token)
    const key = `${dayNumber}:${terms.token}`
    const day = days.get(key) ?? { ...emptySum(token), dayNumber }
    const total = totals.get(terms.token) ?? emptySum(token)
    days.set(key, day)
    totals.set(terms.token, total)
    const waits = blockedDay !== undefined && dayNumber >= blockedDay
    for (const sum of [day, total]) add(sum, charges, waits)
  }
  return {
    days: [...days.values()]
      .sort((a, b) => a.dayNumber - b.dayNumber)
      .map((day) => ({ ...toDay(day.dayNumber), ...toTotals(day) })),
    totals: [...totals.values()].map(toTotals),
  }
}

function emptySum(token: LastingToken): Sum {
  return { token, income: 0n, waiting: 0n, missed: 0n, charges: 0, skipped: 0, waits: 0, fails: 0 }
}

function add(sum: Sum, { terms, kind, count }: ExpectedCharges, waits: boolean): void {
  const { decimals } = sum.token
  const times = BigInt(count)
  const full = toRaw(terms.amount, decimals)
  // A charge that fills the fee balance leaves the provider the rest.
  const net = kind === 'filled' ? splitToRaw(feeFill(terms), decimals).toProvider : full
  if (waits || kind === 'blocked') {
    sum.waiting += net * times
    sum.waits += count
  } else if (kind === 'skipped') {
    sum.skipped += count
  } else if (kind === 'failed') {
    sum.missed += full * times
    sum.fails += count
  } else {
    sum.income += net * times
    sum.charges += count
  }
}

function toTotals({
  token,
  income,
  waiting,
  missed,
  charges,
  skipped,
  waits,
  fails,
}: Sum): z.output<typeof TokenTotals> {
  return {
    token: toToken(token),
    income: quantity(income, token),
    waiting: quantity(waiting, token),
    missed: quantity(missed, token),
    charges,
    skipped,
    waits,
    fails,
  }
}
