interface KindWords {
  readonly title: string
  readonly means: string
  readonly isFailure: boolean
}

const KINDS: Readonly<Record<string, readonly [string, string]>> = {
  firstCharge: ['First payment', 'Taken when the wallet subscribed.'],
  period: ['Payment', 'A full period, collected on or after its due day.'],
  feeFill: ['Payment', 'A full period, of which a part filled the fee balance.'],
  left: ['Left', 'The subscriber left. What was in the fee balance went to the provider.'],
  dropped: [
    'Payment failed',
    'The payment could not be taken, so the subscription ended. What was left in the fee balance went to the provider.',
  ],
  removed: ['Removed', 'The provider ended the subscription. The fee balance went back to the subscriber.'],
  cleanedUp: ['Closed', 'The plan was cancelled. The fee balance went back to the subscriber.'],
}

/** What a kind of payment is called and means; one that this page does not know by its own name. */
export function kindWords(kind: string): KindWords {
  const [title, means] = KINDS[kind] ?? [kind, kind]
  return { title, means, isFailure: kind === 'dropped' }
}
