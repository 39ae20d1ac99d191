import { dateOf, dayNumberAt } from '@remit/protocol/calendar'
import * as z from 'zod'

/** Somewhat over a year back and a month ahead, so that a yearly and a monthly payment lie within. */
const LONGEST_PAST_DAYS = 390
const AHEAD_DAYS = 40

/** What the questions need to know of the services. */
export interface ComparedAt {
  /** Lists are read up to this block, which both indexes have. */
  readonly untilBlock: number
  /** The day of that block: unix time / 86400. */
  readonly today: number
  /** Whether a key is sent: then pages are longer, and come with details. */
  readonly withKey: boolean
}

/** Something that answers name, and that more can be asked about. */
export type Subject =
  | { readonly kind: 'subscription' | 'account' | 'token'; readonly name: string }
  | { readonly kind: 'member' | 'payment' | 'day'; readonly name: string; readonly of: string }

/** The questions that everything else is found by. */
export function firstQuestions(asked: ComparedAt): string[] {
  return ['/protocol/state', '/approved-tokens', ...searches('', asked)]
}

/** Every question about the history of a subject. */
export function questionsAbout({ kind, name, ...rest }: Subject, asked: ComparedAt): string[] {
  const until = `untilBlock=${asked.untilBlock}`
  const of = 'of' in rest ? rest.of : ''
  switch (kind) {
    case 'subscription': {
      const path = `/subscriptions/${name}`
      return [
        path,
        `${path}/details`,
        `${path}/details-history?first=100&${until}`,
        `${path}/history?first=100&${until}`,
        `${path}/subscribers?first=500`,
        ...revenues(path, asked),
      ]
    }
    case 'account':
      return [
        `/accounts/${name}?first=500`,
        ...[true, false].map((by) => `/accounts/${name}/subscriptions?bySubscriber=${by}&first=500`),
        `/accounts/${name}/activity?first=100&${until}`,
        `/providers/${name}`,
        `/providers/${name}/payments?first=1000&${until}`,
        ...revenues(`/providers/${name}`, asked),
        ...searches(`provider=${name}&`, asked),
      ]
    case 'token':
      return [
        `/approved-tokens/${name}`,
        ...[0, 1, 2, 3].flatMap((frequency) => searches(`token=${name}&frequency=${frequency}&`, asked)),
      ]
    case 'member':
      return [`/subscriptions/${of}/subscribers/${name}`, `/subscriptions/${of}/fee-balance?address=${name}`]
    case 'payment':
      return [`/payments/${of}/${name}`]
    case 'day':
      return [`/subscriptions/due?dayNumber=${name}`]
  }
}

function searches(filters: string, { untilBlock, withKey }: ComparedAt): string[] {
  const page = withKey ? 'first=100&includeDetails=true' : 'first=10'
  return [false, true].map(
    (cancelled) => `/subscriptions?${filters}cancelled=${cancelled}&${page}&untilBlock=${untilBlock}`,
  )
}

function revenues(path: string, { today }: ComparedAt): string[] {
  const [from, to] = [dateOf(today - LONGEST_PAST_DAYS), dateOf(today + 1)]
  return [`${path}/revenue?interval=day&from=${from}&to=${to}`, `${path}/revenue?from=2025-01-01&to=${to}`]
}

/** The days on which something may have been due: from the first event's to some weeks ahead. */
export function daysFrom(timestamp: number, { today }: ComparedAt): Subject[] {
  const first = dayNumberAt(timestamp)
  return Array.from({ length: Math.max(0, today + AHEAD_DAYS - first + 1) }, (_, index) => ({
    kind: 'day',
    name: `${first + index}`,
    of: '',
  }))
}

const Id = z.string().regex(/^0x[0-9a-f]{64}$/)
const Account = z.string().regex(/^0x[0-9a-fA-F]{40}$/)
const Row = z.looseObject({
  id: Id.optional().catch(undefined),
  subscriptionId: Id.optional().catch(undefined),
  provider: Account.optional().catch(undefined),
  subscriber: Account.optional().catch(undefined),
  account: Account.optional().catch(undefined),
  address: Account.optional().catch(undefined),
  minimumRaw: z.string().optional().catch(undefined),
  kind: z.string().optional().catch(undefined),
  transactionHash: Id.optional().catch(undefined),
  logIndex: z.int().optional().catch(undefined),
})

/** All subjects that an answer names, at any depth. */
export function subjectsIn(value: unknown): Subject[] {
  if (Array.isArray(value)) return value.flatMap(subjectsIn)
  const parsed = Row.safeParse(value)
  if (!parsed.success) return []
  const { id, provider, subscriber, account, address, minimumRaw, transactionHash, logIndex } = parsed.data
  const subscription = parsed.data.subscriptionId ?? id
  const found: Subject[] = []
  if (subscription !== undefined) found.push({ kind: 'subscription', name: subscription })
  for (const name of [provider, subscriber, account]) {
    if (name !== undefined) found.push({ kind: 'account', name })
  }
  if (address !== undefined && minimumRaw !== undefined) found.push({ kind: 'token', name: address })
  if (subscription !== undefined && subscriber !== undefined) {
    found.push({ kind: 'member', name: subscriber, of: subscription })
  }
  const isPayment = parsed.data.kind !== undefined && subscriber !== undefined
  if (isPayment && transactionHash !== undefined && logIndex !== undefined) {
    found.push({ kind: 'payment', name: `${logIndex}`, of: transactionHash })
  }
  return [...found, ...Object.values(parsed.data).flatMap(subjectsIn)]
}
