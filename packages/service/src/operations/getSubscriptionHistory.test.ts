import { TestToken } from '@remit/contracts/TestToken'
import { HistoryEvent } from '@remit/engine/presentation/historyEvent'
import { SUBSCRIPT_EVENTS } from '@remit/protocol/logs/events'
import { contractAt } from '@remit/testing/support/chain/contractAt'
import { protocolOn, units } from '@remit/testing/support/chain/protocolOn'
import { useTestChain } from '@remit/testing/support/chain/useTestChain'
import { indexed } from '@remit/testing/support/service/indexed'
import { Events, readEvents } from '@remit/testing/support/service/readEvents'
import { lasting, useTestService } from '@remit/testing/support/service/testService'
import { encodeDeployData, parseUnits } from 'viem'
import { describe, expect, it } from 'vitest'

const chain = await useTestChain({ reorganises: true })
const protocol = protocolOn(chain)
const { alice, bob, provider, stranger, janitor } = chain.wallets
const weekly = await protocol.create()
await protocol.join(weekly, alice)
await chain.keep()
const service = await useTestService([chain])

const read = (path: string) => readEvents(service, chain, path)

/** What differs from run to run stands for itself. */
function named(body: Record<string, unknown>) {
  const names: Record<string, string> = { [weekly.id]: '<weekly>' }
  const rows = Events.parse(body).events
  for (const { transactionHash, timestamp, formattedTimestamp } of rows) {
    if (typeof transactionHash === 'string') names[transactionHash] = '<transaction>'
    names[`"timestamp":${timestamp}`] = '"timestamp":0'
    names[String(formattedTimestamp)] = '<time>'
  }
  const { index: _, ...rest } = lasting(body, names)
  return rest
}

describe('GET /subscriptions/:id/history', () => {
  it('tells what happened, newest first, in the token’s amounts', async () => {
    const { body } = await read(`/subscriptions/${weekly.id}/history`)
    expect(named(body)).toMatchInlineSnapshot(`
      {
        "chainId": 31337,
        "count": 3,
        "events": [
          {
            "amount": "2.857142",
            "amountRaw": "2857142",
            "blockNumber": 5,
            "eventName": "FeeFilled",
            "finalized": false,
            "formattedAmount": "2.857142 USDC",
            "formattedTimestamp": "<time>",
            "id": "<weekly>",
            "logIndex": 1,
            "provider": "0x70997970C51812dc3A010C7d01b50e0d17dc79C8",
            "subScriptEvent": 8,
            "subscriber": "0x90F79bf6EB2c4f870365E785982E1f101E93b906",
            "timestamp": 0,
            "token": {
              "address": "0xe7f1725E7734CE288F8367e1Bb143E90bb3F0512",
              "decimals": 6,
              "name": "USD Coin (dev chain)",
              "symbol": "USDC",
            },
            "tokenDecimals": 6,
            "transactionHash": "<transaction>",
          },
          {
            "amount": "10",
            "amountRaw": "10000000",
            "blockNumber": 5,
            "eventName": "Subscribed",
            "finalized": false,
            "formattedAmount": "10 USDC",
            "formattedTimestamp": "<time>",
            "id": "<weekly>",
            "logIndex": 0,
            "provider": "0x70997970C51812dc3A010C7d01b50e0d17dc79C8",
            "subScriptEvent": 6,
            "subscriber": "0x90F79bf6EB2c4f870365E785982E1f101E93b906",
            "timestamp": 0,
            "token": {
              "address": "0xe7f1725E7734CE288F8367e1Bb143E90bb3F0512",
              "decimals": 6,
              "name": "USD Coin (dev chain)",
              "symbol": "USDC",
            },
            "tokenDecimals": 6,
            "transactionHash": "<transaction>",
          },
          {
            "amount": "10",
            "amountRaw": "10000000",
            "blockNumber": 2,
            "eventName": "Created",
            "finalized": true,
            "formattedAmount": "10 USDC",
            "formattedTimestamp": "<time>",
            "id": "<weekly>",
            "logIndex": 1,
            "provider": "0x70997970C51812dc3A010C7d01b50e0d17dc79C8",
            "subScriptEvent": 0,
            "subscriber": null,
            "timestamp": 0,
            "token": {
              "address": "0xe7f1725E7734CE288F8367e1Bb143E90bb3F0512",
              "decimals": 6,
              "name": "USD Coin (dev chain)",
              "symbol": "USDC",
            },
            "tokenDecimals": 6,
            "transactionHash": "<transaction>",
          },
        ],
        "hasMore": false,
        "nextCursor": null,
        "subscriptionId": "<weekly>",
      }
    `)
  })

  it('shows a transaction that was just mined to whoever waits for its block', async () => {
    await indexed(service, chain)
    await protocol.send(alice, 'unsubscribe', [weekly])
    const block = await chain.client.getBlockNumber()
    const { status, body } = await service.get(`/subscriptions/${weekly.id}/history?minBlock=${block}`)
    expect(status).toBe(200)
    expect(body).toMatchObject({
      events: [
        { eventName: 'ProviderRefunded', formattedAmount: '2.857142 USDC', blockNumber: Number(block) },
        { eventName: 'Unsubscribed', formattedAmount: '10 USDC', blockNumber: Number(block) },
        { eventName: 'FeeFilled' },
        { eventName: 'Subscribed' },
        { eventName: 'Created' },
      ],
      index: { blockNumber: Number(block), synced: true },
      asOf: { blockNumber: Number(block) },
    })
  })

  it.each([
    ['skip=1&after=abc', 'skip'],
    ['after=abc', 'after'],
  ])('refuses %s by name', async (query, path) => {
    const { status, body } = await service.get(`/subscriptions/${weekly.id}/history?${query}`)
    expect(status).toBe(400)
    expect(body).toMatchObject({ code: 'VALIDATION_ERROR', issues: [{ path }] })
  })

  it('says that a cursor’s block was reorganised away', async () => {
    await protocol.join(weekly, bob)
    const { nextCursor } = await read(`/subscriptions/${weekly.id}/history?first=1`)
    // The three transactions of the joining go, and blocks without any come.
    await chain.client.request({ method: 'anvil_reorg', params: [3, []] } as never)
    await chain.advanceDays(1)
    await indexed(service, chain)
    const { status, body } = await service.get(`/subscriptions/${weekly.id}/history?after=${nextCursor}`)
    expect([status, body.code]).toEqual([409, 'CURSOR_STALE'])
  })

  it('may be cached as long as nothing happens', async () => {
    await indexed(service, chain)
    const { headers } = await service.get(`/subscriptions/${weekly.id}/history`)
    expect(headers.get('cache-control')).toBe('private, no-cache')
    expect(headers.get('etag')).toMatch(/^W\//)
  })

  it('states no amount where the janitor logged a token that the protocol does not know', async () => {
    const data = encodeDeployData({
      abi: TestToken.abi,
      bytecode: TestToken.bytecode,
      args: ['Not approved', 'NOPE', 8],
    })
    const token = await chain.deploy(data)
    await contractAt(chain.client, token, TestToken.abi).send(stranger, 'mint', [chain.contract, 100n])
    await protocol.send(provider, 'cancelSubscription', [weekly])
    const wrong = { ...weekly, provider: stranger, token, amount: units('7') }
    await protocol.send(janitor, 'cleanupCancelledSubscribers', [wrong])
    const { events } = await read(`/subscriptions/${weekly.id}/history?first=3`)
    expect(events).toMatchObject([
      {
        eventName: 'SubscriberRefunded',
        provider: stranger,
        subscriber: alice,
        token: { address: token, symbol: null, name: null, decimals: null },
        amount: null,
        amountRaw: null,
        tokenDecimals: null,
        formattedAmount: null,
      },
      { eventName: 'Unsubscribed', formattedAmount: null },
      { eventName: 'Cancelled', formattedAmount: '0 USDC', token: { symbol: 'USDC' } },
    ])
  })

  it('warns where the token itself counts other decimals, and names one without a symbol by its address', async () => {
    const data = encodeDeployData({ abi: TestToken.abi, bytecode: TestToken.bytecode, args: ['', '', 8] })
    const token = await chain.deploy(data)
    await protocol.send(chain.wallets.admin, 'addERC20Contract', [token, 0n, 6])
    const odd = await protocol.create({ token, amount: parseUnits('1.5', 18) })
    const { body } = await read(`/subscriptions/${odd.id}/history`)
    expect(body).toMatchObject({
      events: [{ amount: '1.5', amountRaw: '1500000', tokenDecimals: 6, formattedAmount: `1.5 ${token}` }],
      warnings: [{ code: 'TOKEN_DECIMALS_MISMATCH', token }],
    })
  })

  it('says in its documents what an amount means, per event', () => {
    const { description = '' } = HistoryEvent.shape.eventName
    for (const { name, amountMeans } of SUBSCRIPT_EVENTS)
      expect(description).toContain(`${name}: ${amountMeans}`)
  })
})
