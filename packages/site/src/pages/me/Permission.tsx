import type { Token } from '@remit/client'
import { INFINITE_ALLOWANCE } from '@remit/protocol/allowance'
import { formatHuman } from '@remit/protocol/amounts'
import { Money } from '../../design/Money.tsx'

/** How much the contract may take, in the token's smallest unit. */
export function Permission({ raw, token }: { readonly raw: bigint; readonly token: Token }) {
  if (raw >= INFINITE_ALLOWANCE) return <>no limit</>
  return <Money amount={formatHuman(raw, token.decimals)} token={token} />
}
