import { type BackfillPlan, planBackfill } from '../history/status/backfill.ts'
import type { Finding } from './Finding.ts'

/**
 * The calls that a new block takes while nobody uses the service. The head: the block itself. The index: the logs of the contract, the
 * approvals of its tokens, and the headers that prove to which blocks they belong.
 */
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

const DAY_SECONDS = 86_400
/** The least time that a range of logs takes: writing it takes time too. */
const LEAST_SECONDS = 0.05

/** HTTP requests, the calls in them (several in a batch), and what providers bill for these. */
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

/** Computes what the first reading of the history takes, and what a day costs. @param options.blocks from the contract's first on */
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
  const blocksADay = DAY_SECONDS / secondsPerBlock
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

/** What a provider bills for one call of a method, in units of its own. */
interface PriceList {
  readonly provider: string
  readonly unit: string
  /** Where the prices stand. They change: look there. */
  readonly source: string
  readonly methods: Readonly<Record<string, number>>
  /** One block told over WebSocket. */
  readonly newHead: number
}

/** When the lists were looked up. */
export const PRICES_OF = '22 November 2026'

/** The two best-known providers. Their units are not comparable with each other. */
export const PRICES: readonly PriceList[] = [
  {
    provider: 'Alchemy',
    unit: 'CU',
    source: 'https://www.alchemy.com/docs/reference/compute-unit-costs',
    methods: {
      eth_blockNumber: 10,
      eth_call: 26,
      eth_chainId: 0,
      eth_estimateGas: 20,
      eth_feeHistory: 10,
      eth_getBlockByNumber: 20,
      eth_getBlockReceipts: 20,
      eth_getCode: 20,
      eth_getLogs: 60,
      eth_getTransactionByHash: 20,
      eth_getTransactionReceipt: 20,
      eth_simulateV1: 40,
    },
    // 0.04 CU a byte; a header of Base has about a thousand.
    newHead: 40,
  },
  {
    provider: 'Infura',
    unit: 'credits',
    source: 'https://docs.metamask.io/services/get-started/pricing/credit-cost/',
    methods: {
      eth_blockNumber: 80,
      eth_call: 80,
      eth_chainId: 5,
      eth_estimateGas: 300,
      eth_feeHistory: 80,
      eth_getBlockByNumber: 80,
      eth_getBlockReceipts: 1_000,
      eth_getCode: 80,
      eth_getLogs: 255,
      eth_getTransactionByHash: 80,
      eth_getTransactionReceipt: 80,
      // Not in the list: its default.
      eth_simulateV1: 80,
    },
    newHead: 50,
  },
]

/** What calls cost together. Throws RangeError for a method without a price. */
export function priceOf({ methods, provider }: PriceList, calls: readonly string[]): number {
  return calls.reduce((sum, method) => {
    const price = methods[method]
    if (price === undefined) throw new RangeError(`${provider} has no price for ${method}`)
    return sum + price
  }, 0)
}
