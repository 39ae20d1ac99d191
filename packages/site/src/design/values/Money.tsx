import type { ComponentChildren } from 'preact'
import { amountWords, type MoneyToken, type Rounding, shortAmountWords, symbolOf } from '../../words/money.ts'

interface MoneyProps {
  /** Exact, as the API gives it. */
  readonly amount: string
  readonly token: MoneyToken
  readonly isLarge?: boolean
  /** How it is rounded to cents: `up` what is to be added, `down` what is there. */
  readonly rounding?: Rounding
}

/**
 * An amount and its symbol of up to so many characters stay on one line. Longer ones may be broken: an amount has up to eighty digits,
 * more than a phone has room for.
 */
const ONE_LINE = 20

/**
 * A sum, or one of the amounts that are shown with their sum. It is never rounded, because rounded amounts would not add up.
 * Digits behind the sixth of a fraction are small: they are there for books, and in the way of a reader.
 */
export function ExactMoney({ amount, token }: Pick<MoneyProps, 'amount' | 'token'>) {
  const words = amountWords(amount)
  const [, read = words, rest = ''] = /^([^.]+\.\d{6})(\d+)$/.exec(words) ?? []
  return (
    <Written words={words} token={token}>
      {read}
      {rest === '' ? null : <span class="money__rest">{rest}</span>}
    </Written>
  )
}

/**
 * An amount with its token, rounded to cents. Where that leaves something out, the exact amount is in the title, and screen readers
 * read it. The token's symbol is a stranger's word, so it is isolated (`bdi`) and short.
 */
export function Money({ amount, token, isLarge, rounding }: MoneyProps) {
  const words = shortAmountWords(amount, token, rounding)
  return <Written words={words} exact={amountWords(amount)} token={token} isLarge={isLarge} />
}

interface WrittenProps extends Pick<MoneyProps, 'token'> {
  readonly words: string
  /** The unrounded words, for the title and for screen readers. */
  readonly exact?: string
  readonly isLarge?: boolean | undefined
  /** The words as they look; by default as they are. */
  readonly children?: ComponentChildren
}

function Written({ words, exact = words, token, isLarge, children = words }: WrittenProps) {
  const symbol = symbolOf(token)
  const isLong = words.length + symbol.length > ONE_LINE
  return (
    <span
      class={`money${isLarge ? ' money--large' : ''}${isLong ? ' money--long' : ''}`}
      title={words === exact ? undefined : `${exact} ${symbol}`}
    >
      {words === exact ? (
        children
      ) : (
        <>
          <span aria-hidden="true">{words}</span>
          <span class="unseen">{exact}</span>
        </>
      )}{' '}
      <bdi>{symbol}</bdi>
    </span>
  )
}
