/** What a provider bills for one call of a method, in units of its own. */
export interface PriceList {
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
