import { formatUnits } from 'viem'
import { describeGains, factsOfGains } from '../journal/Totals.ts'
import type { Fact } from '../ports/ports.ts'
import type { Weighing } from './weighRemit.ts'

/**
 * What a remit pays and costs, for people.
 * @param expectedTransactions how many transactions the backlog takes, as the service says, including this one
 * @param isForecast whether only the service says what it pays
 */
export function describeWeighing(
  { gains, valueWei, costWei, profitWei }: Weighing,
  { expectedTransactions, isForecast }: { expectedTransactions: number; isForecast: boolean },
): string {
  const source = isForecast ? 'by the service’s word it pays' : 'it pays'
  const balance = balanceOf(profitWei)
  const place =
    expectedTransactions > 1 ? `, the first of ${expectedTransactions} that the backlog takes` : ''
  return `${source} ${describeGains(gains)}, worth ${eth(valueWei)}, and costs ${eth(costWei)}: ${balance}${place}`
}

/** What carrying a permission brings and costs, for people. */
export function describeCarry({ gains, valueWei, costWei, profitWei }: Weighing): string {
  return (
    `it saves a charge whose fee is ${describeGains(gains)}, worth ${eth(valueWei)}, and costs ${eth(costWei)}: ` +
    balanceOf(profitWei)
  )
}

function balanceOf(profitWei: bigint): string {
  return profitWei < 0n ? `a loss of ${eth(-profitWei)}` : `a profit of ${eth(profitWei)}`
}

/** The same for programs. */
export function factsOf({ gains, valueWei, costWei, profitWei }: Weighing): Record<string, Fact> {
  return { valueWei, costWei, profitWei, gains: factsOfGains(gains) }
}

export function eth(wei: bigint): string {
  return `${formatUnits(wei, 18)} ETH`
}
