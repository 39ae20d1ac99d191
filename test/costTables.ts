import { alignedTable } from '@remit/service/testing/configuration/documentVariables'
import { PER_BLOCK, PRICES, PRICES_OF, priceOf } from '@remit/service/testing/doctor/estimate'
import { count } from '@remit/service/testing/doctor/Finding'

/** What one answer of an operation asks of a node that can do everything, while nothing is cached. */
export interface OperationCost {
  readonly operation: string
  readonly requests: number
  readonly methods: readonly string[]
}

/** Blocks of Base in an hour. */
const BLOCKS = 1_800
/** Questions for the head in an hour: every 30 s beside announcements, every 15 s while nobody calls. */
const CHECKS = 120
const IDLE_POLLS = 240

const billedHeads = PRICES.map(({ provider, unit }) => `${provider} ${unit}`)
const priced = (methods: readonly string[], times = 1) =>
  PRICES.map((list) => count(times * priceOf(list, methods)))

/** The cost of each operation, as docs/nodes.md shows it: those that cost the same share a row. */
export function operationCosts(costs: readonly OperationCost[]): string {
  const rows = new Map<string, { readonly names: string[]; readonly figures: readonly string[] }>()
  for (const { operation, requests, methods } of costs) {
    const figures = [String(requests), String(methods.length), ...priced(methods)]
    const alike = rows.get(figures.join()) ?? { names: [], figures }
    alike.names.push(`\`${operation}\``)
    rows.set(figures.join(), alike)
  }
  const cells = [...rows.values()].map(({ names, figures }) => [names.join(', '), ...figures])
  return alignedTable(['operation', 'HTTP requests', 'calls', ...billedHeads], cells).join('\n')
}

/** The cost of an hour without callers, on a chain with a block every two seconds. */
export function hourlyCosts(): string {
  const { head, index } = PER_BLOCK
  const both = [...head, ...index]
  const announced = (times: number, methods: readonly string[]) =>
    PRICES.map((list) =>
      count(times * priceOf(list, methods) + CHECKS * priceOf(list, head) + BLOCKS * list.newHead),
    )
  const row = (what: string, requests: number, calls: number, billed: readonly string[]) => [
    what,
    count(requests),
    count(calls),
    ...billed,
  ]
  const rows = [
    row('the head', BLOCKS, BLOCKS * head.length, priced(head, BLOCKS)),
    row('the head, announced over WebSocket', CHECKS, CHECKS, announced(0, [])),
    row('the head and the index', 2 * BLOCKS, BLOCKS * both.length, priced(both, BLOCKS)),
    row(
      'both, with heads announced over WebSocket',
      CHECKS + BLOCKS,
      CHECKS + BLOCKS * index.length,
      announced(BLOCKS, index),
    ),
    row('the head, after five minutes without a caller', IDLE_POLLS, IDLE_POLLS, priced(head, IDLE_POLLS)),
    row(
      'both in one process, after five minutes without a caller',
      2 * IDLE_POLLS,
      IDLE_POLLS * both.length,
      priced(both, IDLE_POLLS),
    ),
  ]
  return alignedTable(['an hour of Base at rest', 'HTTP requests', 'calls', ...billedHeads], rows).join('\n')
}

/** Where the prices come from. */
export function sourcesOfPrices(): string {
  const named = PRICES.map(({ provider, source }) => `[${provider}](${source})`)
  return `Prices of ${PRICES_OF}, by the lists of ${named.join(' and\n')}. They change, and plans differ: look there.`
}
