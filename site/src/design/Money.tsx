import { amountWords, symbolOf } from '../words/money.ts'

interface MoneyProps {
  /** Exact, as the API gives it. */
  readonly amount: string
  readonly token: { readonly symbol: string | null; readonly address: string }
  readonly isLarge?: boolean
}

/** Digits of a fraction after these say nothing to a reader. */
const READABLE = /(\.\d{6})\d+$/

/** An amount with its token; of a long fraction the rest is in the title. The token's symbol is a stranger's word, so it is kept apart and short. */
export function Money({ amount, token, isLarge }: MoneyProps) {
  const exact = amountWords(amount)
  const words = exact.replace(READABLE, '$1…')
  return (
    <span class={`money${isLarge ? ' money--large' : ''}`} title={words === exact ? undefined : exact}>
      {words} <bdi>{symbolOf(token)}</bdi>
    </span>
  )
}
