import type { Command } from '../../invocation/Command.ts'
import { isId, readTarget } from '../words.ts'
import { showAccount } from './showAccount.ts'
import { showSubscription } from './showSubscription.ts'

/** Prints one subscription, or one account. */
export const show: Command = {
  name: 'show',
  summary: 'A subscription with its details and subscribers, or an account as subscriber and as provider',
  operands: '<id|address>',
  options: {},
  notes:
    'With --json, only the subscription or the account itself, without details and subscribers; of an account the first page.',
  async run(invocation) {
    const target = readTarget('show', invocation.operands)
    await (isId(target) ? showSubscription(invocation, target) : showAccount(invocation, target))
    return undefined
  },
}
