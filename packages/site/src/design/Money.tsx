import { amountWords, symbolOf } from '../words/money.ts'

interface MoneyProps {
  /** Exact, as the API gives it. */
  readonly amount: string
  readonly token: { readonly symbol: string | null; readonly address: string }
  readonly isLarge?: boolean
}

/** The most digits of a fraction that a reader needs. */
const READABLE = /(\.\d{6})\d+$/

/** Longer ones may be broken. An amount has up to eighty digits: more than a phone has room for. */
const ONE_LINE = 20

/** An amount with its token; of a long fraction the rest is in the title. The token's symbol is a stranger's word, so it is kept apart and short. */
export function Money({ amount, token, isLarge }: MoneyProps) {
  const exact = amountWords(amount)
  const words = exact.replace(READABLE, '$1…')
  const symbol = symbolOf(token)
  const isLong = words.length + symbol.length > ONE_LINE
  return (
    <span
      class={`money${isLarge ? ' money--large' : ''}${isLong ? ' money--long' : ''}`}
      title={words === exact ? undefined : exact}
    >
      {words} <bdi>{symbol}</bdi>
    </span>
  )
}
