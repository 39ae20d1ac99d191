import { type BackfillPlan, planBackfill } from '../history/status/backfillPlan.ts'
import type { Finding } from './Finding.ts'
import { PRICES, type PriceList, priceOf } from './prices.ts'

/** What is asked for a new block while nobody calls: the head, and the contract's logs and its tokens' approvals with
 * the headers that tie them. */
export const PER_BLOCK = {
  head: ['eth_getBlockByNumber'],
  index: [
    'eth_getLogs',
    'eth_getLogs',
    'eth_getBlockByNumber',
    'eth_getBlockByNumber',
    'eth_getBlockByNumber',
  ],
} as const

const DAY = 86_400
/** Writing a range takes time too. */
const LEAST_SECONDS = 0.05

interface DayCost {
  readonly requests: number
  readonly calls: number
  readonly billed: readonly { readonly provider: string; readonly unit: string; readonly amount: number }[]
}

export interface Estimate {
  /** `null` if there is no index, or the node gives no logs. */
  readonly backfill: BackfillPlan | null
  /** What a day costs while nobody calls: the head is followed, and the index is filled. */
  readonly day: DayCost
}

/** Computes what the first reading takes, and what a day costs. */
export function estimate(options: {
  findings: readonly Finding[]
  blocks: number
  secondsPerBlock: number
  hasIndex: boolean
}): Estimate {
  const { findings, blocks, secondsPerBlock, hasIndex } = options
  const find = (name: Finding['check']) => findings.find(({ check }) => check === name)
  const range = find('logRange')
  const batch = find('batch')?.value ?? 1
  const blocksADay = DAY / secondsPerBlock
  const calls = [...PER_BLOCK.head, ...(hasIndex ? PER_BLOCK.index : [])]
  const requestsPerBlock = 1 + (hasIndex ? Math.ceil(PER_BLOCK.index.length / batch) : 0)
  const billed = (list: PriceList) => ({
    provider: list.provider,
    unit: list.unit,
    amount: Math.round(blocksADay * priceOf(list, calls)),
  })
  return {
    backfill:
      hasIndex && range?.value !== undefined
        ? planBackfill({
            blocks,
            blocksPerRequest: range.value,
            secondsPerRequest: Math.max(LEAST_SECONDS, (range.ms ?? 0) / 1_000),
          })
        : null,
    day: {
      requests: Math.round(blocksADay * requestsPerBlock),
      calls: Math.round(blocksADay * calls.length),
      billed: PRICES.map(billed),
    },
  }
}
