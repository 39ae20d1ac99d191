import type { RemitEvent } from '@remit/client'

/** What a subscriber is told. */
export interface Letter {
  readonly subject: string
  readonly lines: readonly string[]
}

type Told = Extract<RemitEvent, { type: 'payment.at_risk' | 'payment.safe_again' }>
type AtRisk = Extract<Told, { type: 'payment.at_risk' }>['data']

export function letterOf(event: Told): Letter {
  const day = event.data.dueDay.date
  if (event.type === 'payment.safe_again') {
    return { subject: `Your payment of ${day} is safe again`, lines: ['Nothing is left for you to do.'] }
  }
  return {
    subject: `Your payment of ${day} will fail`,
    lines: [...missing(event.data), 'Your subscription ends if it is not paid. You can mend that here:'],
  }
}

/** For a letter whose reason a reorganisation of the chain took back. */
export function retractionOf(day: string): Letter {
  return {
    subject: `Our message about your payment of ${day} does not hold`,
    lines: ['The chain has changed since we wrote. This is how it stands:'],
  }
}

/** In whole tokens. Without a known token there are no amounts. */
function missing({ reason, token, missingBalance, missingAllowance }: AtRisk): string[] {
  const symbol = token?.symbol ?? ''
  if (reason === 'blocked') return ['The token refuses to move from your wallet.']
  return [
    ...(reason === 'allowance' ? [] : [`Your wallet lacks ${missingBalance?.amount ?? 'some'} ${symbol}.`]),
    ...(reason === 'balance'
      ? []
      : [`Your wallet allows ${missingAllowance?.amount ?? 'some'} ${symbol} too little.`]),
  ]
}
