import type { Address } from 'viem'
import type { Conclusion, SentContext } from '../send/FlowDefinition.ts'
import type { ToppedUp } from './SignedTopUp.ts'

/** Of a flow that gives somebody money. */
export function balanceConclusion(
  { token, account }: { readonly token: Address; readonly account: Address },
  { reads }: Pick<SentContext, 'reads'>,
): Conclusion<ToppedUp> {
  return {
    conclude: async () => ({
      token,
      account,
      balanceRaw: await reads.balance(token, account).catch(() => null),
    }),
  }
}
