import type { GetAccountAnswer } from '@remit/client'
import { api } from '../../page/api.ts'
import { answerNow, live } from '../../page/live.ts'
import { wholeOf } from '../../page/wholeOf.ts'
import { strangersText } from '../../words/strangersText.ts'

export type Membership = GetAccountAnswer['subscribedTo'][number]

/** How many rows a request brings, which is the most. */
const PAGE = 500

async function readWhole(address: GetAccountAnswer['account'], minBlock: number): Promise<GetAccountAnswer> {
  let page = await api.getAccount({ address, minBlock, first: PAGE })
  const rows = [...page.subscribedTo]
  while (page.nextCursor !== null && rows.length < page.subscribedToCount) {
    page = await api.getAccount({ address, minBlock, first: PAGE, after: page.nextCursor })
    rows.push(...page.subscribedTo)
  }
  return { ...page, subscribedTo: rows }
}

/** The account with all of its subscriptions, mostly for one request more. */
export const wholeAccount = wholeOf(live('account', 'getAccount'), {
  isWhole: ({ subscribedTo, subscribedToCount }) => subscribedTo.length === subscribedToCount,
  readWhole: ({ account, asOf }) => readWhole(account, asOf.blockNumber),
})

/** What a plan is called: who offers it, and what it is said to be. Both are strangers' words. */
export function planNames({ id, provider }: { readonly id: string; readonly provider: string }): {
  readonly company: string | undefined
  readonly description: string | undefined
} {
  const { profile } = answerNow(`profile:${provider}`, 'getProviderProfile') ?? {}
  const { details } = answerNow(`details:${id}`, 'getSubscriptionDetails') ?? {}
  return { company: shown(profile?.company), description: shown(details?.description) }
}

function shown(text: string | undefined): string | undefined {
  return text === undefined || strangersText(text) === '' ? undefined : text
}
