import { formatUnits, type Hex, isAddressEqual, parseUnits } from 'viem'
import type { Quantity } from '../generated/api.ts'
import type { AgreedTerms } from './AgreedTerms.ts'
import type { ChainReads, ChainTerms } from './ChainReads.ts'
import { toRaw } from './ChainReads.ts'
import { UnsafeTransactionError } from './errors.ts'

/** A subscription as the contract has it, with what its amounts are converted by. */
export interface KnownSubscription {
  readonly terms: ChainTerms
  readonly decimals: number
}

/** Reads a subscription from the contract. Throws UnsafeTransactionError where the caller was told something else. */
export async function readSubscription(
  reads: ChainReads,
  id: Hex,
  agreed: AgreedTerms = {},
): Promise<KnownSubscription> {
  const terms = await reads.terms(id)
  const decimals = await reads.decimals(terms.token)
  const { amount, provider, token, frequency, dueDay } = agreed
  const price = formatUnits(toRaw(terms.amount, decimals), decimals)
  const compared: readonly (readonly [name: string, isAgreed: boolean, actual: unknown, given: unknown])[] = [
    [
      'amount',
      amount === undefined || toSmallest(amount, decimals) === toRaw(terms.amount, decimals),
      price,
      amount,
    ],
    [
      'provider',
      provider === undefined || isAddressEqual(provider, terms.provider),
      terms.provider,
      provider,
    ],
    ['token', token === undefined || isAddressEqual(token, terms.token), terms.token, token],
    ['frequency', frequency === undefined || frequency === terms.frequency, terms.frequency, frequency],
    ['due day', dueDay === undefined || dueDay === terms.dueDay, terms.dueDay, dueDay],
  ]
  for (const [name, isAgreed, actual, given] of compared) {
    if (!isAgreed)
      throw new UnsafeTransactionError(`on the chain its ${name} is ${actual}, and the terms say ${given}`)
  }
  return { terms, decimals }
}

/**
 * A human amount in the smallest unit, exactly or not at all: viem's own conversion rounds.
 * @throws UnsafeTransactionError
 */
export function toSmallest(amount: string, decimals: number): bigint {
  const match = /^\d+(?:\.(\d+))?$/.exec(amount)
  const fraction = (match?.[1] ?? '').replace(/0+$/, '')
  if (match === null || fraction.length > decimals) {
    throw new UnsafeTransactionError(`"${amount}" is no amount of a token with ${decimals} decimals`)
  }
  return parseUnits(amount, decimals)
}

export function toQuantity(amountRaw: bigint, tokenDecimals: number): Quantity {
  return { amount: formatUnits(amountRaw, tokenDecimals), amountRaw, tokenDecimals }
}
