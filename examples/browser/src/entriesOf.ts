import type { GetAccountActivityAnswer } from '@remit/client'
import { type Address, formatUnits, type Hex, isAddressEqual } from 'viem'

type Event = GetAccountActivityAnswer['events'][number]

/** One thing that happened to a subscriber, with what it took of the wallet. */
export interface Entry {
  readonly id: Hex
  readonly hash: Hex
  readonly at: Date
  readonly what: string
  /** What left the wallet by it, such as "12.5 USDC"; `undefined` where nothing did, or where it is not known. */
  readonly taken: string | undefined
  /** A payment that was collected by a remit. */
  readonly isPayment: boolean
  readonly finalized: boolean
}

/**
 * What a subscriber's events amount to, newest first. Several events tell of the same money: those of one
 * subscription in one transaction are one entry.
 *
 * @param whole whether there are no older events: else the oldest transaction may be cut in two, and is left out
 */
export function entriesOf(events: readonly Event[], account: Address, whole: boolean): Entry[] {
  const groups = new Map<string, Event[]>()
  for (const event of events) {
    if (event.subscriber === null || !isAddressEqual(event.subscriber, account)) continue
    const key = `${event.transactionHash} ${event.id}`
    groups.set(key, [...(groups.get(key) ?? []), event])
  }
  const last = events.at(-1)
  return [...groups.values()].flatMap((group) => {
    const [first] = group
    if (first === undefined || (!whole && first.transactionHash === last?.transactionHash)) return []
    const { id, transactionHash: hash, formattedTimestamp: at, finalized } = first
    return [{ id, hash, at, finalized, ...tell(group) }]
  })
}

function tell(group: readonly Event[]): Pick<Entry, 'what' | 'taken' | 'isPayment'> {
  const find = (name: Event['eventName']) => group.find(({ eventName }) => eventName === name)
  const payment = (what: string, taken: string | undefined) => ({ what, taken, isPayment: true })
  const other = (what: string, taken?: string) => ({ what, taken, isPayment: false })

  if (find('Subscribed')) return other('Subscribed', total(group.filter(movedAtSubscribing)))
  const paid = find('SubscriberPaid')
  if (paid) return payment('Payment', total([paid]))
  const filled = find('FeeFilled')
  if (filled) return payment('Payment, part of it for the fee balance', total([filled]))
  if (find('Failed')) return other('Unsubscribed, because a payment could not be taken')
  const refund = find('ProviderRefunded')
  if (refund && (refund.amountRaw ?? 0n) > 0n) {
    return other(`Unsubscribed; the fee balance of ${refund.formattedAmount ?? '?'} went to the provider`)
  }
  if (refund) return other('Unsubscribed')
  if (find('SubscriberRefunded'))
    return other('Ended after the provider had cancelled; the fee balance came back')
  if (find('Unsubscribed')) return other('Taken off by the provider; the fee balance came back')
  return other(group.map(({ eventName }) => eventName).join(', '))
}

/** Subscribing takes its part for the fee balance and, where something is left, the provider's part. */
const movedAtSubscribing = ({ eventName }: Event) => eventName === 'FeeFilled' || eventName === 'ProviderPaid'

function total(events: readonly Event[]): string | undefined {
  let sum = 0n
  for (const { amountRaw } of events) {
    if (amountRaw === null) return undefined
    sum += amountRaw
  }
  const [first] = events
  if (first === undefined || first.tokenDecimals === null) return undefined
  return `${formatUnits(sum, first.tokenDecimals)} ${first.token.symbol ?? first.token.address}`
}
