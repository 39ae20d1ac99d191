import type { Token } from '@remit/client'
import { INFINITE_ALLOWANCE } from '@remit/protocol/allowance'
import { formatHuman } from '@remit/protocol/amounts'
import { ExactMoney } from '../../design/values/Money.tsx'

/** "One subscription uses", "3 subscriptions use". */
export function counted(count: number, one: string, many: string): string {
  return `${count === 1 ? 'One' : count} ${count === 1 ? one : many}`
}

/** A permission in words: "no limit" or an amount. @param raw in the token's smallest unit */
export function Permission({ raw, token }: { readonly raw: bigint; readonly token: Token }) {
  if (raw >= INFINITE_ALLOWANCE) return <>no limit</>
  return <ExactMoney amount={formatHuman(raw, token.decimals)} token={token} />
}
