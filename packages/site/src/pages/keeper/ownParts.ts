import type { PrepareRemitAnswer } from '@remit/client'
import { formatHuman } from '@remit/protocol/amounts'
import type { MoneyToken } from '../../words/money.ts'

type Simulation = NonNullable<PrepareRemitAnswer['simulation']>

/** What one call moves to and from a wallet, in one token, in its smallest unit. */
interface Parts {
  readonly token: MoneyToken
  readonly decimals: number
  fee: bigint
  income: bigint
  reserves: bigint
  paid: bigint
}

interface OwnPart {
  readonly token: MoneyToken
  readonly amount: string
}

export interface OwnParts {
  /** For collecting. */
  readonly fees: readonly OwnPart[]
  /** As the provider of plans, by payments. */
  readonly income: readonly OwnPart[]
  /** As the provider of plans: what was left of the reserves of those who are dropped. */
  readonly reserves: readonly OwnPart[]
  /** What its own subscriptions take. */
  readonly paid: readonly OwnPart[]
}

/**
 * A collector may also be a provider and a member in the call that it makes. By the tokens' transfers in the simulation this
 * tells apart what it earns, receives and pays. `undefined` where it only earns: then the sums suffice.
 * @param wallet who would sign
 * @param contract whom the transaction is sent to: it pays fees and refunds, and members pay providers directly
 */
export function ownParts(
  { calls, balanceChanges }: Pick<Simulation, 'calls' | 'balanceChanges'>,
  wallet: string,
  contract: string,
): OwnParts | undefined {
  const tokens = new Map<string, Parts>()
  for (const { account, token, tokenDecimals } of balanceChanges) {
    if (account !== wallet) continue
    tokens.set(token.address, { token, decimals: tokenDecimals, fee: 0n, income: 0n, reserves: 0n, paid: 0n })
  }
  // A transfer follows the contract's own event that explains it.
  let isRefund = false
  for (const { event, eventName, address, args, amountRaw = 0n } of calls.flatMap(
    ({ events }) => events ?? [],
  )) {
    if (address === contract) isRefund = eventName === 'ProviderRefunded'
    const parts = tokens.get(address)
    if (event !== 'Transfer' || parts === undefined) continue
    if (args.from === wallet) parts.paid += amountRaw
    if (args.to !== wallet) continue
    if (args.from !== contract) parts.income += amountRaw
    else if (isRefund) parts.reserves += amountRaw
    else parts.fee += amountRaw
  }
  const part = (read: (parts: Parts) => bigint): OwnPart[] =>
    [...tokens.values()]
      .filter((parts) => read(parts) > 0n)
      .map((parts) => ({ token: parts.token, amount: formatHuman(read(parts), parts.decimals) }))
  const income = part((parts) => parts.income)
  const reserves = part((parts) => parts.reserves)
  const paid = part((parts) => parts.paid)
  return income.length + reserves.length + paid.length === 0
    ? undefined
    : { fees: part(({ fee }) => fee), income, reserves, paid }
}
