import { formatUnits } from 'viem'
import type { Fact } from './ports.ts'
import type { Totals } from './Totals.ts'
import type { Weighing } from './weighRemit.ts'

/**
 * What a remit pays and costs, for people.
 * @param expectedTransactions how many the backlog takes, this one included
 */
export function describeWeighing(
  weighing: Weighing,
  totals: Pick<Totals, 'describe'>,
  expectedTransactions: number,
): string {
  const { gains, valueWei, costWei, profitWei } = weighing
  const pays = totals.describe(gains.map(({ token, amountRaw }) => ({ token: token.address, amountRaw })))
  const balance = profitWei < 0n ? `a loss of ${eth(-profitWei)}` : `a profit of ${eth(profitWei)}`
  const place =
    expectedTransactions > 1 ? `, the first of ${expectedTransactions} that the backlog takes` : ''
  return `it pays ${pays}, worth ${eth(valueWei)}, and costs ${eth(costWei)}: ${balance}${place}`
}

/** The same for programs. */
export function factsOf({ gains, valueWei, costWei, profitWei }: Weighing): Record<string, Fact> {
  const paid = gains.map(({ token, amountRaw }) => ({
    token: token.address,
    symbol: token.symbol,
    amountRaw,
  }))
  return { valueWei, costWei, profitWei, gains: paid }
}

export function eth(wei: bigint): string {
  return `${formatUnits(wei, 18)} ETH`
}
