import { protocolOn } from '@remit/testing/support/chain/protocolOn'
import { useTestChain } from '@remit/testing/support/chain/useTestChain'
import { readEvents } from '@remit/testing/support/service/readEvents'
import { useTestService } from '@remit/testing/support/service/testService'
import { describe, expect, it } from 'vitest'

const chain = await useTestChain()
const protocol = protocolOn(chain)
const { alice, provider, stranger, keeper } = chain.wallets
const weekly = await protocol.create()
await protocol.join(weekly, alice)
await chain.keep()
const service = await useTestService([chain])
const read = (path: string) => readEvents(service, chain, path)

describe('GET /accounts/:address/activity', () => {
  it('is one stream of both sides, each event once, with what the account is in it', async () => {
    // Alice also sells: to the provider that she buys from.
    const hers = await protocol.create({ provider: alice })
    await protocol.join(hers, provider)
    const { body, events } = await read(`/accounts/${alice}/activity`)
    expect(events.map((event) => [event.eventName, event.roles, event.id])).toEqual([
      ['FeeFilled', ['provider'], hers.id],
      ['Subscribed', ['provider'], hers.id],
      ['Created', ['provider'], hers.id],
      ['FeeFilled', ['subscriber'], weekly.id],
      ['Subscribed', ['subscriber'], weekly.id],
      ['APPROVAL', ['subscriber'], null],
    ])
    expect(body).toMatchObject({ account: alice, breakdown: { asSubscriber: 3, asProvider: 3 }, count: 6 })
  })

  it('shows a dropped subscriber both sides of it', async () => {
    await protocol.fund(chain.tokens.usdc, alice, { allowance: 0n })
    await chain.advanceDays(3)
    await protocol.send(keeper, 'remit', [])
    for (const account of [alice, provider]) {
      const { events } = await read(`/accounts/${account}/activity?first=3`)
      expect(events.map(({ eventName }) => eventName)).toEqual(['Failed', 'Unsubscribed', 'ProviderRefunded'])
    }
  })

  it('is empty for an account that never used the protocol', async () => {
    const { body } = await read(`/accounts/${stranger}/activity`)
    expect(body).toMatchObject({
      account: stranger,
      events: [],
      breakdown: { asSubscriber: 0, asProvider: 0 },
      count: 0,
      hasMore: false,
      nextCursor: null,
    })
  })
})
