import type { Address as ChecksummedAddress } from 'viem'
import * as z from 'zod'
import type { WalletState } from '../../ports/chainReads.ts'
import { isCharged } from '../../presentation/accountRow.ts'
import { sharedWithFields, toSharedWith } from '../../presentation/sharedWith.ts'
import { mismatchWarnings, quantity, toToken } from '../../presentation/token.ts'
import { Quantity, Token } from '../../schema/amount.ts'
import type { Issue } from '../../schema/envelope.ts'
import { Address } from '../../schema/hex.ts'
import { definePrepare } from './answer/definePrepare.ts'
import { prepareOptions } from './answer/options.ts'
import { approveCall } from './answer/plannedCall.ts'
import { counted, tokenNotApproved, tokenWord } from './answer/preconditions.ts'
import {
  checkPermitWish,
  loadPermits,
  outstandingPermits,
  permitErrors,
  permitOptions,
} from './permit/permitWish.ts'

const RevokeContext = z.object({
  token: Token.nullable().describe('null where the protocol has not approved it.'),
  allowance: Quantity.nullable().describe('What the protocol may take of the wallet now.'),
  balance: Quantity.nullable(),
  ...sharedWithFields('Active subscriptions paid from it. Without it, their next remit drops the wallet.'),
})

/** Prepares setting a wallet's allowance for the protocol to 0. */
export const prepareRevokeAllowance = definePrepare({
  name: 'prepare_revoke_allowance',
  summary: 'Prepare setting a wallet’s ERC-20 allowance for the protocol to 0',
  description:
    'The next remit of each subscription in that token then drops the wallet: unsubscribe first where that ' +
    'matters.',
  profiles: ['subscriber'],
  errors: permitErrors,
  input: z
    .object({
      token: Address.describe('The ERC-20 contract, one of the approved tokens.'),
      ...prepareOptions,
      ...permitOptions,
    })
    .superRefine(checkPermitWish),
  preflight: RevokeContext,
  async plan({ input, chain }) {
    const { from, token } = input
    const permits = await loadPermits(input)
    const [state, support] = await Promise.all([
      chain.read.walletState(token, from),
      permits?.readPermitSupport(chain, token, from),
    ])
    const { approved } = state
    const context = contextOf(state, token)
    const { sharedWithCount } = context
    const instruction =
      `set the allowance of ${token} for the protocol ${chain.contractAddress} to 0` +
      (sharedWithCount === 0
        ? ''
        : `, which ends ${counted(sharedWithCount, 'active subscription')} as soon as remit charges`)
    return {
      operation: 'revoke_allowance',
      // A permit of nothing also voids one that was signed before.
      issues: revokeIssues(token, approved, { from, isPermit: support !== undefined }),
      warnings:
        approved === undefined
          ? []
          : [...mismatchWarnings(approved.token), ...(await outstandingPermits(chain, from, approved.token))],
      nativeBalance: state.nativeBalance,
      preflight: context,
      instead:
        permits &&
        support &&
        (() =>
          permits.offerPermit(chain, support, {
            token,
            owner: from,
            value: 0n,
            permitDeadline: input.permitDeadline,
          })),
      batches: () => [[approveCall(token, chain.contractAddress, 0n, instruction)]],
    }
  },
})

function contextOf(
  { approved, memberships, dueOrder }: WalletState,
  address: ChecksummedAddress,
): z.output<typeof RevokeContext> {
  const charged = memberships.filter((row) => isCharged(row) && row.terms.token === address)
  const shared = toSharedWith(charged, dueOrder)
  if (approved === undefined) return { token: null, allowance: null, balance: null, ...shared }
  const { token, wallet } = approved
  return {
    token: toToken(token),
    allowance: quantity(wallet.allowance, token),
    balance: quantity(wallet.balance, token),
    ...shared,
  }
}

/** Every precondition of revoking that fails. A paused token does not matter. */
function revokeIssues(
  address: ChecksummedAddress,
  approved: WalletState['approved'],
  { from, isPermit }: { from: ChecksummedAddress; isPermit: boolean },
): Issue[] {
  if (approved === undefined) return [tokenNotApproved(address)]
  const { token, wallet } = approved
  if (wallet.allowance > 0n || isPermit) return []
  const message = `${from} lets the protocol take no ${tokenWord(token)}: there is nothing to revoke.`
  return [{ code: 'NOTHING_TO_REVOKE', message, token: address }]
}
