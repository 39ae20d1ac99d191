import { Money } from '../design/values/Money.tsx'
import { isEndless, type MoneyToken } from '../words/money.ts'

interface PermittedProps {
  readonly quantity: { readonly amount: string; readonly amountRaw: bigint }
  readonly token: MoneyToken
  readonly isLarge?: boolean
}

/** How much a permission (the token's allowance for the contract) allows in all. */
export function Permitted({ quantity, token, isLarge = false }: PermittedProps) {
  if (isEndless(quantity)) return <strong>without any limit</strong>
  if (quantity.amountRaw === 0n) return <>nothing</>
  return <Money amount={quantity.amount} token={token} isLarge={isLarge} rounding="up" />
}
