import type { Hex } from 'viem'
import * as z from 'zod'
import type { SubscriptionState } from '../../../core/ports/chainReads.ts'
import type { Fact } from '../../../errors/base.ts'
import { ValidationError } from '../../../errors/input.ts'
import { SubscriptionMismatchError } from '../../../errors/prepare.ts'
import { formatHuman, parseHuman, toRaw } from '../../../protocol/amounts.ts'
import { dueDayRange, type Frequency, frequencyLabel, isDueDay } from '../../../protocol/subscription.ts'
import { Address } from '../../../schema/address.ts'
import { HumanAmount } from '../../../schema/amount.ts'
import type { Issue } from '../../../schema/answer.ts'
import { FrequencyNumber } from '../../../schema/frequency.ts'
import { SubscriptionId } from '../../../schema/hash.ts'

/** A due day in a request; which ones there are depends on the frequency beside it. */
export const DueDay = z
  .int()
  .describe('Weekly 1-7 (Monday is 1), monthly 1-28, quarterly 1-90, yearly 1-365; never shifted.')

/** Refuses a due day that no subscription of its frequency can have. */
export function checkDueDay(
  { frequency, dueDay }: { readonly frequency: Frequency; readonly dueDay: number },
  context: z.RefinementCtx,
): void {
  if (isDueDay(frequency, dueDay)) return
  const { min, max } = dueDayRange(frequency)
  context.addIssue({
    code: 'custom',
    path: ['dueDay'],
    message: `must be ${min} to ${max} for a ${frequencyLabel(frequency)} subscription`,
  })
}

/** A subscription with the terms that the caller expects. */
export const GivenSubscription = z
  .strictObject({
    id: SubscriptionId,
    amount: HumanAmount.describe('One period’s price in human units of the token, such as "10".'),
    provider: Address,
    token: Address.describe('The ERC-20 contract.'),
    cancelled: z.boolean().optional().describe('Not compared if omitted.'),
    frequency: FrequencyNumber,
    dueDay: DueDay,
  })
  .superRefine(checkDueDay)
  .describe('The terms as the caller knows them. They are only compared with the chain’s.')

export type GivenSubscription = z.output<typeof GivenSubscription>

/** The subscription of a request: by its id alone, or with terms that must equal the chain's. */
export interface NamedSubscription {
  readonly id: Hex
  readonly given?: GivenSubscription
}

/**
 * Compares the given terms, where there are any, with the chain's.
 *
 * Throws SubscriptionMismatchError naming each field that differs; ValidationError for an amount of more digits
 * than the token has.
 */
export function expectTerms({ given }: NamedSubscription, { terms, token }: SubscriptionState): void {
  if (given === undefined) return
  const raw = toRaw(terms.amount, token.decimals)
  const amount = parseHuman(given.amount, token.decimals)
  // For another token than the chain's, more digits may be right. That mismatch is reported below.
  if (!amount.ok && given.token === terms.token) {
    throw ValidationError.of('subscription.amount', `is refused: ${amount.message}`)
  }
  const issues = [
    differing('amount', given.amount, formatHuman(raw, token.decimals), amount.ok && amount.raw === raw),
    differing('provider', given.provider, terms.provider),
    differing('token', given.token, terms.token),
    differing('cancelled', given.cancelled ?? terms.cancelled, terms.cancelled),
    differing('frequency', given.frequency, terms.frequency),
    differing('dueDay', given.dueDay, terms.dueDay),
  ].flatMap((issue) => issue ?? [])
  if (issues.length > 0) throw new SubscriptionMismatchError(issues)
}

function differing(field: string, given: Fact, actual: Fact, isSame = given === actual): Issue | undefined {
  if (isSame) return undefined
  const message = `The subscription's ${field} is ${actual} on chain; ${given} was given.`
  return { path: `subscription.${field}`, message, given, actual }
}
