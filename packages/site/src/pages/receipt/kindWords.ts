import type { GetPaymentAnswer } from '@remit/client'
import { CLEANED_UP, ENDINGS } from '../../words/endings.ts'

interface KindWords {
  readonly title: string
  readonly means: string
  readonly isFailure: boolean
  /** Whether it ended a subscription: nobody pays then, and the collecting reserve is settled. */
  readonly isEnding: boolean
}

const TO_PROVIDER = 'What was left in the collecting reserve went to the provider.'
const TO_NOBODY: Readonly<Record<string, string>> = {
  left: 'Nothing was left in the collecting reserve.',
  // The contract pays a fee for the try and gives the rest to the provider only where there is more than that fee.
  dropped:
    'In the collecting reserve was no more than one fee for collecting. The contract keeps such a rest for good: nobody gets it.',
}
const TO_SUBSCRIBER = 'The collecting reserve went back to the member.'

const KINDS: Readonly<Record<string, readonly [string, string]>> = {
  firstCharge: ['First payment', 'Paid when the wallet subscribed.'],
  period: ['Payment', 'A full period, collected on or after its due day.'],
  feeFill: ['Payment', 'A full period, collected on or after its due day.'],
  left: [ENDINGS.left, TO_PROVIDER],
  dropped: [ENDINGS.dropped, TO_PROVIDER],
  removed: [ENDINGS.removed, TO_SUBSCRIBER],
  cleanedUp: [CLEANED_UP, TO_SUBSCRIBER],
}

const ENDED: ReadonlySet<string> = new Set(['left', 'dropped', 'removed', 'cleanedUp'])

/** What a payment is called and means. A kind that this page does not know is shown by the API's name. */
export function kindWords({
  kind,
  toProvider,
}: Pick<GetPaymentAnswer['payment'], 'kind' | 'toProvider'>): KindWords {
  const [title, usual] = KINDS[kind] ?? [kind, kind]
  const means = (toProvider.amountRaw === 0n ? TO_NOBODY[kind] : undefined) ?? usual
  return { title, means, isFailure: kind === 'dropped', isEnding: ENDED.has(kind) }
}

type Parts = Pick<GetPaymentAnswer['payment'], 'toFeeBalance' | 'toProvider'>

/** A sentence about a payment that filled the collecting reserve, all or in part; `undefined` where nothing of it did. */
export function reserveWords({ toFeeBalance, toProvider }: Parts): string | undefined {
  if (toFeeBalance.amountRaw === 0n) return undefined
  return toProvider.amountRaw === 0n
    ? 'All of it went into the member’s collecting reserve. The provider received none of it.'
    : 'A part of it went into the member’s collecting reserve.'
}
