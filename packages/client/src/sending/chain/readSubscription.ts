import { toRaw } from '@remit/protocol/amounts'
import { type Address, formatUnits, type Hex, isAddressEqual, parseUnits } from 'viem'
import type { Quantity } from '../../generated/api.ts'
import { TermsDifferError, type TermsDifference } from '../errors.ts'
import type { ChainReads, ChainTerms } from './ChainReads.ts'

/** The terms that a caller agreed to. They are compared with the chain's; a term that is left out is not compared. */
export interface AgreedTerms {
  /** One period's price in human units of the token, such as "10". */
  readonly amount?: string | undefined
  readonly provider?: Address | undefined
  readonly token?: Address | undefined
  /** 0 weekly, 1 monthly, 2 quarterly, 3 yearly. */
  readonly frequency?: number | undefined
  readonly dueDay?: number | undefined
}

/** A subscription as the contract has it, with what its amounts are converted by. */
export interface KnownSubscription {
  readonly terms: ChainTerms
  readonly decimals: number
}

/** Reads a subscription from the contract. Throws TermsDifferError where the caller agreed to something else. */
export async function readSubscription(
  reads: ChainReads,
  id: Hex,
  agreed: AgreedTerms = {},
): Promise<KnownSubscription> {
  const terms = await reads.terms(id)
  const decimals = await reads.decimals(terms.token)
  const differences = differencesOf(agreed, terms, decimals)
  if (differences.length > 0) throw new TermsDifferError(id, differences)
  return { terms, decimals }
}

function differencesOf(agreed: AgreedTerms, terms: ChainTerms, decimals: number): TermsDifference[] {
  const price = toRaw(terms.amount, decimals)
  const actual = { ...terms, amount: formatUnits(price, decimals) }
  const differs = <T extends string | number>(
    field: TermsDifference['field'],
    given: T | undefined,
    same: (value: T) => boolean,
  ): TermsDifference[] =>
    given === undefined || same(given) ? [] : [{ field, agreed: given, actual: actual[field] }]
  return [
    ...differs('amount', agreed.amount, (amount) => findSmallest(amount, decimals) === price),
    ...differs('provider', agreed.provider, (provider) => isAddressEqual(provider, terms.provider)),
    ...differs('token', agreed.token, (token) => isAddressEqual(token, terms.token)),
    ...differs('frequency', agreed.frequency, (frequency) => frequency === terms.frequency),
    ...differs('dueDay', agreed.dueDay, (dueDay) => dueDay === terms.dueDay),
  ]
}

/** A human amount in the smallest unit, exactly or not at all: viem's own conversion rounds. */
function findSmallest(amount: string, decimals: number): bigint | undefined {
  const match = /^\d+(?:\.(\d+))?$/.exec(amount)
  const fraction = (match?.[1] ?? '').replace(/0+$/, '')
  return match === null || fraction.length > decimals ? undefined : parseUnits(amount, decimals)
}

export function toQuantity(amountRaw: bigint, tokenDecimals: number): Quantity {
  return { amount: formatUnits(amountRaw, tokenDecimals), amountRaw, tokenDecimals }
}
