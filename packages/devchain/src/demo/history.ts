import type { Address, Hex } from 'viem'
import { Activity, Details, Found, History, type HistoryEvent, type Status } from './answers.ts'
import { type Api, DemoError, expect, say } from './api.ts'

interface Seen {
  readonly id: Hex
  readonly provider: Address
  readonly subscriber: Address
}

/** Finds the subscription by a search, and reads its whole history. */
export async function showHistory(
  api: Api,
  { id, provider, subscriber }: Seen,
  statuses: readonly (Status | undefined)[],
): Promise<void> {
  say('\n— What the index knows of it')
  const newest = Math.max(...statuses.map((status) => status?.blockNumber ?? 0))
  const found = await api.get(`/subscriptions?provider=${provider}&minBlock=${newest}`, Found)
  expect(
    found.subscriptions.length === 1 && found.subscriptions[0]?.id === id,
    'a search by its provider finds it',
  )
  const { details } = await api.get(`/subscriptions/${id}/details`, Details)
  expect(
    details?.description === 'A bag of coffee a week',
    `it is "${details?.description}", ${details?.url}`,
  )

  const events = await wholeHistory(api, id)
  say('')
  for (const event of events) {
    say(
      `   ${event.formattedTimestamp}  block ${event.blockNumber}  ${event.eventName}: ${event.formattedAmount}`,
    )
  }
  const logged = statuses.flatMap((status) =>
    (status?.events ?? []).flatMap(({ args, eventName }) => (args.id === id ? (eventName ?? []) : [])),
  )
  expect(
    events.map(({ eventName }) => eventName).join() === logged.join(),
    'its history is exactly what its transactions logged, in their order',
  )

  const { breakdown, events: own } = await api.get(`/accounts/${subscriber}/activity?first=100`, Activity)
  const approvals = own.filter(({ eventName }) => eventName === 'APPROVAL').length
  const ownEvents = events.filter((event) => event.subscriber === subscriber).length
  expect(
    breakdown.asSubscriber === ownEvents + approvals && breakdown.asProvider === 0,
    `the subscriber's activity counts the ${ownEvents} of them that are its own, and ${approvals} approvals`,
  )
}

/** Oldest first. Reads small pages, as one must with a long list. */
async function wholeHistory(api: Api, id: Hex): Promise<HistoryEvent[]> {
  const events: HistoryEvent[] = []
  let after = ''
  for (;;) {
    const page = await api.get(`/subscriptions/${id}/history?first=4${after}`, History)
    if (page.error !== undefined) throw new DemoError(`The history is not whole: ${page.error}`)
    events.push(...page.events)
    if (page.nextCursor === null) return events.reverse()
    after = `&after=${page.nextCursor}`
  }
}
