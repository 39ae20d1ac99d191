import type { Address } from 'viem'
import type { WalletState } from '../../../core/ports/chainReads.ts'
import type { Issue } from '../../../schema/answer.ts'
import { tokenNotApproved, tokenWord } from '../answer/preconditions.ts'

/** Every precondition of taking an allowance back that fails. A paused token is none. */
export function revokeIssues(address: Address, approved: WalletState['approved'], from: Address): Issue[] {
  if (approved === undefined) return [tokenNotApproved(address)]
  const { token, wallet } = approved
  if (wallet.allowance > 0n) return []
  const message = `${from} lets the protocol take no ${tokenWord(token)}: there is nothing to revoke.`
  return [{ code: 'NOTHING_TO_REVOKE', message, token: address }]
}
