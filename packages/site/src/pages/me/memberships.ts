import type { GetAccountAnswer, GetMembershipAnswer } from '@remit/client'
import { promptApi } from '../../page/api.ts'
import { answerNow, live } from '../../page/live.ts'
import { wholeOf } from '../../page/wholeOf.ts'

export type Membership = GetAccountAnswer['subscribedTo'][number]

/** How many rows a request brings, which is the most. */
const PAGE = 500

async function readWhole(address: GetAccountAnswer['account'], minBlock: number): Promise<GetAccountAnswer> {
  let page = await promptApi.getAccount({ address, minBlock, first: PAGE })
  const rows = [...page.subscribedTo]
  while (page.nextCursor !== null && rows.length < page.subscribedToCount) {
    page = await promptApi.getAccount({ address, minBlock, first: PAGE, after: page.nextCursor })
    rows.push(...page.subscribedTo)
  }
  return { ...page, subscribedTo: rows }
}

/** The account with all of its subscriptions, mostly for one request more. */
export const wholeAccount = wholeOf(live('account', 'getAccount'), {
  isWhole: ({ subscribedTo, subscribedToCount }) => subscribedTo.length === subscribedToCount,
  readWhole: ({ account, asOf }) => readWhole(account, asOf.blockNumber),
})

/** Until when it is paid, and how it ended; `undefined` where the document does not say so: it has the first ten. */
export function membershipOf({ id }: Membership['subscription']): GetMembershipAnswer | undefined {
  return answerNow(`membership:${id}`, 'getMembership')
}
