/** What the client's types promise. Nothing here is run: tsc fails where one of these lines is not so. */

import {
  type Client,
  createClient,
  type GetSubscriptionAnswer,
  type HistoryEvent,
  type NotReadyError,
  type Open,
  type PreconditionCode,
  type Quantity,
  type RateLimitedError,
  type RemitError,
  type RemitErrorCode,
  type RemitEvent,
  type SendingErrorCode,
  type Subscription,
  type Token,
  verifyWebhook,
  type WarningCode,
} from '@remit/client'
import type { Address, Hex } from 'viem'
import { expectTypeOf } from 'vitest'

const client = createClient({ url: 'https://remit.example' })

expectTypeOf(client).toEqualTypeOf<Client>()
expectTypeOf(client.getSubscription).returns.resolves.toEqualTypeOf<GetSubscriptionAnswer>()

expectTypeOf<Subscription['id']>().toEqualTypeOf<Hex>()
expectTypeOf<Subscription['provider']>().toEqualTypeOf<Address>()
expectTypeOf<Subscription['amount']>().toEqualTypeOf<string>()
expectTypeOf<Subscription['amountRaw']>().toEqualTypeOf<bigint>()
expectTypeOf<Subscription['frequency']>().toEqualTypeOf<0 | 1 | 2 | 3>()
expectTypeOf<Subscription['frequencyLabel']>().toEqualTypeOf<
  Open<'WEEKLY' | 'MONTHLY' | 'QUARTERLY' | 'YEARLY'>
>()
expectTypeOf<Subscription['nextDue']>().toEqualTypeOf<{ dayNumber: number; date: string } | null>()
expectTypeOf<Token['symbol']>().toEqualTypeOf<string | null>()
expectTypeOf<HistoryEvent['amountRaw']>().toEqualTypeOf<bigint | null>()
expectTypeOf<HistoryEvent['formattedTimestamp']>().toEqualTypeOf<Date>()
expectTypeOf<GetSubscriptionAnswer['asOf']['blockNumber']>().toEqualTypeOf<number>()

// A text that a newer service may have more of can be anything, and still names what is known.
expectTypeOf<Open<'a' | 'b'>>().toExtend<string>()
expectTypeOf<string>().toExtend<Open<'a' | 'b'>>()

expectTypeOf(client.each.getSubscriptionHistory({ id: '0x1' })).toEqualTypeOf<
  AsyncGenerator<HistoryEvent, void, undefined>
>()

expectTypeOf<RemitError['code']>().toExtend<string>()
expectTypeOf<'NOT_READY'>().toExtend<RemitErrorCode>()
// A newer service may have more of these; of a sending's own there are no others.
expectTypeOf<string>().toExtend<WarningCode>()
expectTypeOf<RemitError['issues'][number]['code']>().toEqualTypeOf<PreconditionCode | undefined>()
expectTypeOf<'TERMS_DIFFER' | 'UNSAFE_TRANSACTION'>().toExtend<SendingErrorCode>()
expectTypeOf<string>().not.toExtend<SendingErrorCode>()
// A flow takes its own answers alone.
const subscribe = client.subscribe({ id: '0x1' })
type Given = NonNullable<Parameters<typeof subscribe.send>[1]>['prepared']
expectTypeOf<Given>().toEqualTypeOf<Awaited<ReturnType<typeof subscribe.prepare>> | undefined>()
expectTypeOf<InstanceType<typeof NotReadyError>>().toExtend<RemitError>()
expectTypeOf<RateLimitedError['bucket']>().toEqualTypeOf<string>()

// The type of an event tells what its data is: listed, heard, or sent.
export function ofEvent(event: RemitEvent) {
  expectTypeOf(event.time).toEqualTypeOf<Date>()
  if (event.type === 'payment.at_risk') {
    expectTypeOf(event.data.missingBalance).toEqualTypeOf<Quantity | null>()
    // @ts-expect-error a charge that is at risk has no payment
    event.data.payment
  }
  switch (event.type) {
    case 'retracted':
      return expectTypeOf(event.data.ids).toEqualTypeOf<string[]>()
    case 'subscriber.dropped':
    case 'payment.failed':
      return expectTypeOf(event.data.reason).toEqualTypeOf<
        Open<'allowance' | 'balance' | 'both' | 'unknown'>
      >()
    // @ts-expect-error there is no such type
    case 'payment.lost':
      return
  }
  // @ts-expect-error nothing is known of its data before its type is
  event.data.missingBalance
}
expectTypeOf(client.events.stream()).toEqualTypeOf<AsyncIterable<RemitEvent>>()
expectTypeOf(client.listEvents).returns.resolves.toHaveProperty('events').toEqualTypeOf<RemitEvent[]>()
const message = await verifyWebhook({}, '', '')
if (message.type === 'webhook.challenge') expectTypeOf(message.challenge).toEqualTypeOf<string>()
else if (message.type === 'webhook.paused')
  expectTypeOf(message.data.reason).toEqualTypeOf<Open<'gone' | 'failing'>>()
else if (message.type === 'rescue.offered') expectTypeOf(message.data.value).toEqualTypeOf<bigint>()
else if (message.type !== 'webhook.test') expectTypeOf(message).toEqualTypeOf<RemitEvent>()

// What is left out may also be undefined, whatever the compiler is told about optional properties.
client.searchSubscriptions({ token: undefined, first: undefined }, { signal: undefined })
client.getStatus()
client.getStatus({}, { timeoutMs: 1000 })
client.getProtocolState({ chainId: 8453, minBlock: 1 })
client.prepareRemit({ from: '0x1', minBlock: 1 }, { withinMs: 5_000 })

// @ts-expect-error the input has a required field
client.getSubscription()
// @ts-expect-error the id is bytes in hex
client.getSubscription({ id: 'coffee' })
// @ts-expect-error there is no such field
client.getSubscription({ id: '0x1', ids: [] })
// @ts-expect-error weekly to yearly are 0 to 3
client.searchSubscriptions({ frequency: 4 })
// @ts-expect-error it pages by itself
client.each.searchSubscriptions({ after: 'cursor' })
// @ts-expect-error it does not page
client.each.getSubscription({ id: '0x1' })
// @ts-expect-error the code is a text
expectTypeOf<RemitError['code']>().toEqualTypeOf<number>()
