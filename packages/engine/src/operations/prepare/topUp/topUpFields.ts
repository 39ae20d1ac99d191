import type { Address as ChecksummedAddress } from 'viem'
import * as z from 'zod'
import { ValidationError } from '../../../errors/input.ts'
import type { ProtocolSettings, WalletState } from '../../../ports/chainReads.ts'
import { quantity, toToken } from '../../../presentation/token.ts'
import { Quantity, Token } from '../../../schema/amount.ts'
import { Address } from '../../../schema/hex.ts'
import { Uint256 } from '../../../schema/numbers.ts'
import { CoverChanges, coverChanges } from '../answer/coverChanges.ts'

/** How much of a token somebody is given. */
export const GivenValue = Uint256.refine((raw) => raw > 0n, 'must be more than 0')

/** The fields about the member that the answers of `prepare_top_up` and `prepare_carry_top_up` share. */
export const topUpFields = {
  account: Address.describe('Whom the money goes to. Nobody can take it back.'),
  token: Token.nullable().describe('null where the protocol has not approved it.'),
  value: Quantity.nullable().describe('How much it gets.'),
  balance: z.object({ before: Quantity, after: Quantity }).nullable().describe('Of the account.'),
  subscriptions: CoverChanges.describe(
    'The account’s active subscriptions in the token: how far its balance and allowance carry each.',
  ),
}

type TopUp = z.output<z.ZodObject<typeof topUpFields>>

/**
 * What a top-up of `value` does for an account, by the protocol's rules: its balance and its subscriptions before and after.
 * `isUsed`: the signed transfer can be sent no more, because somebody has sent it already or its payer has cancelled it. Then nothing
 * comes any more, and `after` equals `before`.
 */
export function topUpOf(
  account: ChecksummedAddress,
  { value, isUsed = false }: { readonly value: bigint; readonly isUsed?: boolean },
  state: WalletState,
  settings: ProtocolSettings,
): TopUp {
  const { approved } = state
  if (approved === undefined) return { account, token: null, value: null, balance: null, subscriptions: [] }
  const { token, wallet } = approved
  const after = wallet.balance + (isUsed ? 0n : value)
  return {
    account,
    token: toToken(token),
    value: quantity(value, token),
    balance: { before: quantity(wallet.balance, token), after: quantity(after, token) },
    subscriptions: coverChanges(state, settings, {
      token,
      before: wallet,
      after: { ...wallet, balance: after },
    }),
  }
}

/** Throws ValidationError where somebody would give something to itself. */
export function assertAnother(account: ChecksummedAddress, payer: ChecksummedAddress): void {
  if (account === payer) throw ValidationError.of('account', 'is the payer itself: nothing would move')
}
