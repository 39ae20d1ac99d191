import type { Command } from '../../invocation/Command.ts'
import { isId, readTarget } from '../words.ts'
import { showAccount } from './showAccount.ts'
import { showSubscription } from './showSubscription.ts'

/** One subscription, or one account. */
export const show: Command = {
  name: 'show',
  summary: 'A subscription with its details and subscribers, or an account with both of its sides',
  operands: '<id|address>',
  options: {},
  notes: 'With --json only the first of the answers that it is made of: the subscription, or the account.',
  async run(invocation) {
    const target = readTarget('show', invocation.operands)
    await (isId(target) ? showSubscription(invocation, target) : showAccount(invocation, target))
    return undefined
  },
}
