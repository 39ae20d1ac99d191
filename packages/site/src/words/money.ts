import { INFINITE_ALLOWANCE } from '@remit/protocol/allowance'
import { strangersText } from './strangersText.ts'

/** An exact amount as people read it: "1,250.50". Nothing is rounded; whole cents are filled up. */
export function amountWords(amount: string): string {
  const [, sign = '', whole = '', rest = ''] = /^(-?)(\d+)(?:\.(\d+))?$/.exec(amount) ?? []
  if (whole === '') return amount
  const grouped = whole.replaceAll(/\B(?=(\d{3})+$)/g, ',')
  const cents = rest === '' ? '' : `.${rest.padEnd(2, '0')}`
  return `${sign === '' ? '' : '−'}${grouped}${cents}`
}

const MOST_SYMBOL = 12

/** What a token is called: its symbol, as a stranger wrote it, or its address. */
export function symbolOf(token: { readonly symbol: string | null; readonly address: string }): string {
  const symbol = strangersText(token.symbol ?? '', MOST_SYMBOL)
  return symbol !== '' ? symbol : `${token.address.slice(0, 6)}…${token.address.slice(-4)}`
}

/** "12.50 USDC". */
export function moneyWords(
  amount: string,
  token: { readonly symbol: string | null; readonly address: string },
): string {
  return `${amountWords(amount)} ${symbolOf(token)}`
}

/** Whether a permission is without limit: nobody can spend so much. */
export function isEndless({ amountRaw }: { readonly amountRaw: bigint }): boolean {
  return amountRaw >= INFINITE_ALLOWANCE
}
