import type { ComponentChildren } from 'preact'
import { Money } from '../../design/values/Money.tsx'
import { type MoneyToken, symbolOf } from '../../words/money.ts'

interface Gain {
  readonly amount: string
  readonly token: MoneyToken
}

/** Rows for `Facts`, one for each token: amounts of two tokens make no sum. A minus is left out, the title says which way. */
export function perToken(
  title: string,
  gains: readonly Gain[],
): readonly (readonly [ComponentChildren, ComponentChildren])[] {
  if (gains.length === 0) return [[title, 'nothing']]
  return gains.map(({ token, amount }) => [
    gains.length === 1 ? (
      title
    ) : (
      <span key={token.address}>
        {title}, in <bdi>{symbolOf(token)}</bdi>
      </span>
    ),
    <Money key={token.address} amount={amount.replace('-', '')} token={token} />,
  ])
}
