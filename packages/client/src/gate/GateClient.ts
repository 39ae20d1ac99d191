import type { Address, Hex } from 'viem'
import type { GetMembershipAnswer, Subscription } from '../generated/api.ts'

/** What a gate needs to know of a membership. */
export type GateMembership = Pick<GetMembershipAnswer, 'entitled' | 'paidThrough'>

/** What a gate tells those who are no members of a plan. */
export type GatePlanTerms = Pick<
  Subscription,
  'provider' | 'amount' | 'amountRaw' | 'frequencyLabel' | 'dueDay' | 'cancelled'
> & { readonly token: Pick<Subscription['token'], 'address' | 'symbol'> }

/** What a gate asks. A client of the service fits; so does anything else that answers this, such as your own node. */
export interface GateClient {
  /** Answers undefined for a wallet that never subscribed, or rejects with an error whose `code` is NOT_FOUND. */
  getMembership(
    input: {
      readonly id: Hex
      readonly address: Address
      readonly chainId: number
      readonly graceDays?: number
    },
    options: { readonly signal: AbortSignal },
  ): Promise<GateMembership | undefined>
  getSubscription(
    input: { readonly id: Hex; readonly chainId: number },
    options: { readonly signal: AbortSignal },
  ): Promise<{ readonly subscription: GatePlanTerms }>
}
