import { answerOnChain, BlockAnswers } from '@remit/engine/declare/chainAnswers'
import { decode } from '@remit/engine/declare/codec'
import type { ChainOperation } from '@remit/engine/declare/operation'
import { SubscriptionNotFoundError, ViewFailedError } from '@remit/engine/errors/chain'
import { IndexUnavailableError } from '@remit/engine/errors/history'
import { getAccount } from '@remit/engine/operations/accounts/getAccount'
import { getProviderProfile } from '@remit/engine/operations/accounts/getProviderProfile'
import { listApprovedTokens } from '@remit/engine/operations/protocol/approvedTokens'
import {
  getSubscriptionDetails,
  getSubscriptionDetailsHistory,
} from '@remit/engine/operations/subscriptions/details'
import { getSubscribers } from '@remit/engine/operations/subscriptions/getSubscribers'
import type { BlockRef, HistoryPort, Membership } from '@remit/engine/ports/history'
import { noEvents } from '@remit/testing/support/app/noEvents'
import { noHistory } from '@remit/testing/support/app/noHistory'
import { checkpointAt, useReadingGround } from '@remit/testing/support/chain/useReadingGround'
import { brokenHistory, fakeHistory } from '@remit/testing/support/history/fakeHistory'
import { lasting } from '@remit/testing/support/service/testService'
import type { Hex } from 'viem'
import { describe, expect, it } from 'vitest'
import { OpenStreams } from '../calls/OpenStreams.ts'
import { noPasses } from '../ports/portal.ts'
import { getAccountActivity, getSubscriptionHistory } from './histories.ts'
import { searchSubscriptions } from './searchSubscriptions.ts'

const ground = await useReadingGround()
const { protocol, wallets, chainId, client, proxy } = ground
const { admin, provider, alice, bob } = wallets
const weekly = await protocol.create()
await protocol.join(weekly, alice)
await protocol.join(weekly, bob)
await ground.keep()

const UNKNOWN: Hex = `0x${'12'.repeat(32)}`
const AWAY = 'The index of chain 31337 could not be read just now; try again shortly.'

async function latestBlock(): Promise<BlockRef> {
  const { number, hash, parentHash, timestamp } = await client.getBlock()
  return { number: Number(number), hash, parentHash, timestamp: Number(timestamp) }
}

/** What the operation answers over the real chain and this index. */
async function answer(
  operation: ChainOperation,
  input: object,
  history: HistoryPort,
  chains = ground.open(),
) {
  const asked = decode(operation, { input }, 'free')
  const context = { requestId: 'test', lane: 'free', signal: undefined, passes: noPasses } as const
  const nothing = { events: noEvents, longPolls: new OpenStreams(), options: {}, answers: new BlockAnswers() }
  const call = { operation, chainId, input, decodedCall: asked, chains, history, context, ...nothing }
  return (await answerOnChain(call)).body
}

/** Operations that answer what they can, and that with an `error`. */
const GRACEFUL: [ChainOperation, object][] = [
  [getSubscriptionDetails, { id: weekly.id }],
  [getSubscriptionDetailsHistory, { id: weekly.id }],
  [getSubscriptionHistory, { id: weekly.id }],
  [getAccountActivity, { address: alice }],
  [getProviderProfile, { address: provider }],
]
const named = (rows: typeof GRACEFUL) =>
  rows.map(([operation, input]) => [operation.name, operation, input] as const)

describe('without its index', () => {
  it('every graceful operation answers in its own shape, with why', async () => {
    const bodies = await Promise.all(
      GRACEFUL.map(async ([operation, input]) => [
        operation.name,
        lasting(await answer(operation, input, brokenHistory), { [weekly.id]: '<weekly>' }),
      ]),
    )
    expect(Object.fromEntries(bodies)).toMatchInlineSnapshot(`
      {
        "get_account_activity": {
          "account": "0x90F79bf6EB2c4f870365E785982E1f101E93b906",
          "breakdown": {
            "asProvider": 0,
            "asSubscriber": 0,
          },
          "chainId": 31337,
          "count": 0,
          "error": "The index of chain 31337 could not be read just now; try again shortly.",
          "events": [],
          "hasMore": false,
          "nextCursor": null,
        },
        "get_provider_profile": {
          "chainId": 31337,
          "error": "The index of chain 31337 could not be read just now; try again shortly.",
          "identity": {
            "chainName": null,
            "domain": null,
          },
          "profile": null,
          "provider": "0x70997970C51812dc3A010C7d01b50e0d17dc79C8",
        },
        "get_subscription_details": {
          "chainId": 31337,
          "details": null,
          "error": "The index of chain 31337 could not be read just now; try again shortly.",
          "providerIdentity": {
            "chainName": null,
            "domain": null,
          },
          "subscriptionId": "<weekly>",
        },
        "get_subscription_details_history": {
          "chainId": 31337,
          "count": 0,
          "error": "The index of chain 31337 could not be read just now; try again shortly.",
          "events": [],
          "hasMore": false,
          "nextCursor": null,
          "subscriptionId": "<weekly>",
        },
        "get_subscription_history": {
          "chainId": 31337,
          "count": 0,
          "error": "The index of chain 31337 could not be read just now; try again shortly.",
          "events": [],
          "hasMore": false,
          "nextCursor": null,
          "subscriptionId": "<weekly>",
        },
      }
    `)
  })

  it.each(named(GRACEFUL))('%s says so where the chain has none at all', async (_name, operation, input) => {
    expect(await answer(operation, input, noHistory)).toMatchObject({
      error: expect.stringContaining('has no index here'),
      index: null,
    })
  })

  it.each(named(GRACEFUL.filter(([, input]) => 'id' in input)))(
    '%s is not found for an id that the chain does not know',
    async (_name, operation) => {
      const asked = answer(operation, { id: UNKNOWN }, brokenHistory)
      await expect(asked).rejects.toBeInstanceOf(SubscriptionNotFoundError)
    },
  )

  it('a search fails by name: nothing found would be a lie', async () => {
    const asked = answer(searchSubscriptions, {}, brokenHistory)
    await expect(asked).rejects.toBeInstanceOf(IndexUnavailableError)
  })

  it('the approved tokens are the registry’s, and that is no error', async () => {
    const body = await answer(listApprovedTokens, {}, brokenHistory)
    expect(body).toMatchObject({ index: null, tokens: expect.arrayContaining([]) })
    expect(body).not.toHaveProperty('error')
    expect(body.tokens).toHaveLength(Object.keys(ground.tokens).length)
  })

  it('a view of the contract that panics is told by its name', async () => {
    await protocol.send(admin, 'setPageStart', [checkpointAt(weekly.id)])
    await protocol.send(alice, 'unsubscribe', [weekly])
    for (const history of [brokenHistory, noHistory]) {
      await expect(answer(getSubscribers, { id: weekly.id }, history)).rejects.toMatchObject({
        name: 'ViewFailedError',
        facts: { view: 'getSubscribersById' },
      })
    }
  })
})

describe('with an index that is behind', () => {
  it.each(named(GRACEFUL))(
    '%s says why its source fails, and how far it came',
    async (_name, operation, input) => {
      const block = await latestBlock()
      const history = fakeHistory(block, {
        failure: 'The index has not moved for 3 minutes.',
        position: { lagSeconds: 180, synced: false },
      })
      expect(await answer(operation, input, history)).toMatchObject({
        error: 'The index has not moved for 3 minutes.',
        index: { blockNumber: block.number, lagSeconds: 180, synced: false },
        asOf: { blockHash: block.hash },
      })
    },
  )

  it('a subscription that it has not come to yet exists all the same, with no history so far', async () => {
    const before = await latestBlock()
    const newer = await protocol.create()
    expect(await answer(getSubscriptionHistory, { id: newer.id }, fakeHistory(before))).toMatchObject({
      subscriptionId: newer.id,
      events: [],
      index: { blockNumber: before.number, synced: false },
    })
  })
})

describe('with an index', () => {
  it('an account that pays for more subscriptions than can be counted in is refused, not cut', async () => {
    const many = Array.from(
      { length: 4_001 },
      (_, index): Membership => ({
        subscriptionId: `0x${index.toString(16).padStart(64, '0')}`,
        status: 'ACTIVE',
      }),
    )
    const history = fakeHistory(await latestBlock(), {
      known: { memberships: async (_account, { first }) => many.slice(0, first) },
    })
    // Too little for the contract's own view, as any node's gas is for a view of that size.
    proxy.fail({ callGas: 100_000 })
    const asked = answer(getAccount, { address: alice }, history)
    await expect(asked).rejects.toBeInstanceOf(ViewFailedError)
    await expect(asked).rejects.toMatchObject({ message: expect.stringContaining('more than 4000') })
  })

  it('tokens that were seen in it are candidates too, and none is listed twice', async () => {
    const { usdc, dai } = ground.tokens
    const lower = (address: Hex): Hex => `0x${address.slice(2).toLowerCase()}`
    const known = { tokens: async () => [lower(usdc), lower(dai), alice] }
    const history = fakeHistory(await latestBlock(), { known })
    const body = await answer(listApprovedTokens, {}, history, ground.open({ tokens: [usdc] }))
    expect(body.tokens).toMatchObject([{ address: usdc }, { address: dai }])
  })
})

it('an upstream’s address never travels with a failure', async () => {
  const body = await answer(getSubscriptionHistory, { id: weekly.id }, brokenHistory)
  expect(body.error).toBe(AWAY)
})
