import type { Address, Hex } from 'viem'
import { describe, expect, it } from 'vitest'
import { entriesOf } from '../../examples/browser/src/entriesOf.ts'

type Event = Parameters<typeof entriesOf>[0][number]

const ME: Address = '0x71bE63f3384f5fb98995898A86B02Fb2426c5788'
const OTHER: Address = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8'
const ID: Hex = `0x${'ab'.repeat(32)}`
const hash = (transaction: number): Hex => `0x${String(transaction).padStart(64, '0')}`

/** An event of one's own for so many cents, in a transaction by its number. */
function event(
  transaction: number,
  eventName: Event['eventName'],
  cents = 0n,
  change: Partial<Event> = {},
): Event {
  const token = { address: OTHER, symbol: 'USDC', name: null, decimals: 2 }
  return {
    id: ID,
    provider: OTHER,
    subscriber: ME,
    token,
    eventName,
    subScriptEvent: 0,
    amount: String(Number(cents) / 100),
    amountRaw: cents,
    tokenDecimals: 2,
    formattedAmount: `${Number(cents) / 100} USDC`,
    timestamp: transaction,
    formattedTimestamp: new Date(transaction * 1000),
    blockNumber: transaction,
    transactionHash: hash(transaction),
    logIndex: 0,
    finalized: true,
    roles: ['subscriber'],
    ...change,
  }
}

const told = (events: readonly Event[], whole = true) =>
  entriesOf(events, ME, whole).map(({ what, taken, isPayment }) => [what, taken, isPayment])

describe('what an account’s events amount to', () => {
  it.each([
    [
      'subscribing: the two parts that were taken, and not the price',
      ['Subscribed', 1000n, 'FeeFilled', 250n, 'ProviderPaid', 750n],
      ['Subscribed', '10 USDC', false],
    ],
    [
      'a payment, which two events tell of, once',
      ['SubscriberPaid', 1000n, 'ProviderPaid', 1000n],
      ['Payment', '10 USDC', true],
    ],
    [
      'a payment that fills the fee balance: all of it left the wallet',
      ['FeeFilled', 1000n, 'ProviderPaid', 750n],
      ['Payment, part of it for the fee balance', '10 USDC', true],
    ],
    [
      'being dropped',
      ['ProviderRefunded', 30n, 'Unsubscribed', 1000n, 'Failed', 0n],
      ['Unsubscribed, because a payment could not be taken', undefined, false],
    ],
    [
      'leaving, with where the fee balance went',
      ['Unsubscribed', 1000n, 'ProviderRefunded', 30n],
      ['Unsubscribed; the fee balance of 0.3 USDC went to the provider', undefined, false],
    ],
    [
      'leaving without a fee balance',
      ['Unsubscribed', 1000n, 'ProviderRefunded', 0n],
      ['Unsubscribed', undefined, false],
    ],
    [
      'being taken off',
      ['Unsubscribed', 1000n],
      ['Taken off by the provider; the fee balance came back', undefined, false],
    ],
    [
      'the end after a cancellation',
      ['Unsubscribed', 1000n, 'SubscriberRefunded', 1000n],
      ['Ended after the provider had cancelled; the fee balance came back', undefined, false],
    ],
  ] as const)('is %s', (_title, parts, entry) => {
    const events: Event[] = []
    for (let index = 0; index < parts.length; index += 2) {
      const [name, cents] = [parts[index], parts[index + 1]]
      if (typeof name === 'string' && typeof cents === 'bigint') events.push(event(1, name, cents))
    }
    expect(told(events)).toEqual([entry])
  })

  it('is nothing of other subscribers, nor of what one provides', () => {
    expect(
      told([
        event(1, 'SubscriberPaid', 5n, { subscriber: OTHER }),
        event(2, 'Created', 5n, { subscriber: null }),
      ]),
    ).toEqual([])
  })

  it('is one entry for each subscription of a transaction that charges several', () => {
    const second: Hex = `0x${'cd'.repeat(32)}`
    expect(
      told([event(1, 'SubscriberPaid', 100n), event(1, 'SubscriberPaid', 200n, { id: second })]),
    ).toEqual([
      ['Payment', '1 USDC', true],
      ['Payment', '2 USDC', true],
    ])
  })

  it('leaves out the oldest transaction of a page where the page may have cut it in two', () => {
    const events = [event(2, 'SubscriberPaid', 100n), event(1, 'FeeFilled', 250n)]
    expect(told(events, false)).toEqual([['Payment', '1 USDC', true]])
    expect(told(events)).toHaveLength(2)
  })

  it('says no amount where the token’s decimals are not known', () => {
    const unknown = { amount: null, amountRaw: null, tokenDecimals: null, formattedAmount: null }
    expect(told([event(1, 'SubscriberPaid', 0n, unknown)])).toEqual([['Payment', undefined, true]])
  })
})
