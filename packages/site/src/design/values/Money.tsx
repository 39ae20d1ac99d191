import { amountWords, type MoneyToken, type Rounding, shortAmountWords, symbolOf } from '../../words/money.ts'

interface MoneyProps {
  /** Exact, as the API gives it. */
  readonly amount: string
  readonly token: MoneyToken
  readonly isLarge?: boolean
  /** How it is rounded to cents: `up` what is to be added, `down` what is there. */
  readonly rounding?: Rounding
}

/** In characters. Longer amounts may be broken: one has up to eighty digits, more than a phone has room for. */
const ONE_LINE = 20

/**
 * An amount beside the sum that it is a part of, or that sum. It is never rounded: rounded parts would not add up to the
 * sum that is shown.
 */
export function ExactMoney({ amount, token }: Pick<MoneyProps, 'amount' | 'token'>) {
  return <Written words={amountWords(amount)} token={token} />
}

/**
 * An amount with its token, to cents. Where that leaves something out, the exact amount is in the title, and is what is
 * heard. The token's symbol is a stranger's word, so it is isolated and short.
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
}

function Written({ words, exact = words, token, isLarge }: WrittenProps) {
  const symbol = symbolOf(token)
  const isLong = words.length + symbol.length > ONE_LINE
  return (
    <span
      class={`money${isLarge ? ' money--large' : ''}${isLong ? ' money--long' : ''}`}
      title={words === exact ? undefined : `${exact} ${symbol}`}
    >
      {words === exact ? (
        words
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
