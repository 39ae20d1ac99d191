import type { Address } from 'viem'

/** What a caller was told of a subscription, and holds the chain to. What is left out is not compared. */
export interface AgreedTerms {
  /** One period's price in human units of the token, such as "10". */
  readonly amount?: string | undefined
  readonly provider?: Address | undefined
  readonly token?: Address | undefined
  /** 0 weekly, 1 monthly, 2 quarterly, 3 yearly. */
  readonly frequency?: number | undefined
  readonly dueDay?: number | undefined
}
