import { effect, signal } from '@preact/signals'
import type { GetAccountAnswer } from '@remit/client'
import { api } from '../../page/api.ts'
import { answerNow, live } from '../../page/live.ts'
import type { Known, Resource } from '../../page/Resource.ts'
import { strangersText } from '../../words/strangersText.ts'

export type Membership = GetAccountAnswer['subscribedTo'][number]

const account = live('account', 'getAccount')
const rest = signal<GetAccountAnswer | undefined>(undefined)

/** How many rows a request brings, which is the most. */
const PAGE = 500

// The document has the first ten rows. Whoever has more gets all of them, mostly for one request more.
effect(() => {
  const known = account.value
  if (known.state !== 'there' || known.isStale) return
  const { account: address, asOf, subscribedTo, subscribedToCount } = known.answer
  if (subscribedTo.length === subscribedToCount) return
  readWhole(address, asOf.blockNumber)
    .then((whole) => {
      rest.value = whole
    })
    .catch(() => {})
})

async function readWhole(address: GetAccountAnswer['account'], minBlock: number): Promise<GetAccountAnswer> {
  let page = await api.getAccount({ address, minBlock, first: PAGE })
  const rows = [...page.subscribedTo]
  while (page.nextCursor !== null && rows.length < page.subscribedToCount) {
    page = await api.getAccount({ address, minBlock, first: PAGE, after: page.nextCursor })
    rows.push(...page.subscribedTo)
  }
  return { ...page, subscribedTo: rows }
}

/** The account with all of its subscriptions, as soon as they are there. */
export const wholeAccount: Resource<GetAccountAnswer> = {
  get value(): Known<GetAccountAnswer> {
    const known = account.value
    const whole = rest.value
    if (known.state !== 'there' || whole === undefined) return known
    const isOfIt =
      whole.account === known.answer.account && whole.asOf.blockNumber >= known.answer.asOf.blockNumber
    return isOfIt ? { ...known, answer: whole } : known
  },
  refresh: account.refresh,
}

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
