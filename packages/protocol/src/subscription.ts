/** Frequencies, due days, terms and statuses in the numbers of the contract: checked here, wherever they come in from the chain. */

import type { Address, Hex } from 'viem'

/** How often a subscription is charged, by the number that the contract uses. */
export type Frequency = 0 | 1 | 2 | 3

/** All frequencies, in the order in which remit walks their due lists. */
export const FREQUENCIES = [0, 1, 2, 3] as const satisfies readonly Frequency[]

export type FrequencyLabel = 'WEEKLY' | 'MONTHLY' | 'QUARTERLY' | 'YEARLY'

/** The due days that createSubscription accepts, and the revert string for one outside them. */
interface DueDayRange {
  readonly min: number
  readonly max: number
  readonly revertCode: '14' | '15' | '16' | '17'
}

interface FrequencyFacts {
  readonly label: FrequencyLabel
  readonly dueDays: DueDayRange
}

const FACTS: Readonly<Record<Frequency, FrequencyFacts>> = {
  0: { label: 'WEEKLY', dueDays: { min: 1, max: 7, revertCode: '14' } },
  1: { label: 'MONTHLY', dueDays: { min: 1, max: 28, revertCode: '15' } },
  2: { label: 'QUARTERLY', dueDays: { min: 1, max: 90, revertCode: '16' } },
  3: { label: 'YEARLY', dueDays: { min: 1, max: 365, revertCode: '17' } },
}

/** What a subscription was created with, and whether its provider has cancelled it since. */
export interface SubscriptionTerms {
  readonly id: Hex
  /** One full period, in protocol units (18 decimals), whatever the token's own decimals. */
  readonly amount: bigint
  readonly provider: Address
  readonly token: Address
  readonly cancelled: boolean
  readonly frequency: Frequency
  /** Day of the week (Monday is 1), month, quarter or year on which remit charges. */
  readonly dueDay: number
}

/** An account's status in one subscription, as subscriber or as provider. */
export type AccountStatus = 'ACTIVE' | 'CANCELLED' | 'UNSUBSCRIBED'

const STATUSES: readonly AccountStatus[] = ['ACTIVE', 'CANCELLED', 'UNSUBSCRIBED']

/** The numbers of the contract. The index stores them too. */
export const ACCOUNT_STATUS_NUMBERS = {
  ACTIVE: 0,
  CANCELLED: 1,
  UNSUBSCRIBED: 2,
} as const satisfies Readonly<Record<AccountStatus, number>>

/** The frequency's name on the wire. */
export function frequencyLabel(frequency: Frequency): FrequencyLabel {
  return FACTS[frequency].label
}

export function dueDayRange(frequency: Frequency): DueDayRange {
  return FACTS[frequency].dueDays
}

/** Whether a subscription of this frequency can be created with this due day. */
export function isDueDay(frequency: Frequency, dueDay: number): boolean {
  const { min, max } = dueDayRange(frequency)
  return Number.isInteger(dueDay) && dueDay >= min && dueDay <= max
}

export function isFrequency(value: number): value is Frequency {
  return value === 0 || value === 1 || value === 2 || value === 3
}

/** The frequency behind the contract's number. @throws RangeError for a number that the enum lacks */
export function parseFrequency(value: number | bigint): Frequency {
  const frequency = Number(value)
  if (!isFrequency(frequency)) throw new RangeError(`${value} is not a frequency of the protocol (0 to 3)`)
  return frequency
}

/** The status behind the contract's number. @throws RangeError for a number that the enum lacks */
export function accountStatus(value: number | bigint): AccountStatus {
  const status = STATUSES[Number(value)]
  if (status === undefined) throw new RangeError(`${value} is not an account status of the protocol (0 to 2)`)
  return status
}

/** Terms out of a struct as viem decodes it, with the frequency's number checked. */
export function subscriptionTerms(struct: {
  readonly id: Hex
  readonly amount: bigint
  readonly provider: Address
  readonly token: Address
  readonly cancelled: boolean
  readonly frequency: number
  readonly dueDay: number
}): SubscriptionTerms {
  const { id, amount, provider, token, cancelled, dueDay } = struct
  return { id, amount, provider, token, cancelled, frequency: parseFrequency(struct.frequency), dueDay }
}
