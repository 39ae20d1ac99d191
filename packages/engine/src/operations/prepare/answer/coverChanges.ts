import { inRemitOrder } from '@remit/protocol/charges/ChargeSchedule'
import type { Means } from '@remit/protocol/charges/decideCharge'
import { coverageOf } from '@remit/protocol/coverage'
import * as z from 'zod'
import type { ProtocolSettings, TokenFacts, WalletState } from '../../../ports/chainReads.ts'
import { Covers, isCharged, toCharged, toCovers } from '../../../presentation/accountRow.ts'
import { SubscriptionId } from '../../../schema/hex.ts'

/** How far each subscription is paid, before and after a change. */
export const CoverChanges = z.array(z.object({ id: SubscriptionId, before: Covers, after: Covers }))

/** How far a wallet's subscriptions in a token are paid, by what it has of the token now and afterwards. */
export function coverChanges(
  { memberships, dueOrder }: WalletState,
  { nextUncheckedDay, callerFee }: ProtocolSettings,
  change: { readonly token: TokenFacts; readonly before: Means; readonly after: Means },
): z.output<typeof CoverChanges> {
  const { token } = change
  const rows = memberships.filter((row) => isCharged(row) && row.terms.token === token.address)
  const charged = inRemitOrder(rows.map(toCharged), dueOrder)
  const cover = (means: Means) =>
    coverageOf({ subscriptions: charged, decimals: token.decimals, callerFee, nextUncheckedDay, means })
  const [before, after] = [cover(change.before), cover(change.after)]
  return charged.map(({ id }) => ({ id, before: toCovers(before(id)), after: toCovers(after(id)) }))
}
