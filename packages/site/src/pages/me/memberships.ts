import type { GetAccountAnswer, GetMembershipAnswer } from '@remit/client'
import { promptApi } from '../../page/api.ts'
import { answerNow, live } from '../../page/live.ts'
import { wholeOf } from '../../page/wholeOf.ts'

/** One subscription of the wallet, running or ended. */
export type Membership = GetAccountAnswer['subscribedTo'][number]

/** The most rows that a request can bring. */
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

/** The account with all of its subscriptions: the document has the first ten, and the rest is read page by page. */
export const wholeAccount = wholeOf(live('account', 'getAccount'), {
  isWhole: ({ subscribedTo, subscribedToCount }) => subscribedTo.length === subscribedToCount,
  readWhole: ({ account, asOf }) => readWhole(account, asOf.blockNumber),
})

/** Until when a subscription is paid, and how it ended; `undefined` after the first ten: the page's document tells it of those only. */
export function membershipOf({ id }: Membership['subscription']): GetMembershipAnswer | undefined {
  return answerNow(`membership:${id}`, 'getMembership')
}
