import { Frequency } from '@remit/testing/support/chain/protocolOn'
import { createMany, subscribeCrowd } from '@remit/testing/support/chain/subscribeCrowd'
import { checkpointAt, useReadingGround } from '@remit/testing/support/chain/useReadingGround'
import type { Faults } from '@remit/testing/support/nodes/countingProxy'
import type { Hex } from 'viem'
import { describe, expect, it } from 'vitest'
import { SubscriptionNotFoundError, UpstreamError, ViewFailedError } from '../errors/chain.ts'
import type { ChainReads } from '../ports/chainReads.ts'

const ground = await useReadingGround()
const { protocol, proxy, wallets, tokens, chainId } = ground
const { admin, provider, otherProvider, alice, bob, stranger } = wallets

const weekly = await protocol.create()
const monthly = await protocol.create({ token: tokens.dai, frequency: Frequency.MONTHLY, dueDay: 9 })
await protocol.join(weekly, alice)
await protocol.join(monthly, alice, { allowance: 5n * 10n ** 18n * 10n })
await protocol.join(weekly, bob)
await protocol.send(provider, 'cancelSubscription', [weekly])

/** More than one question may name, in two tokens by turns. */
const MANY = 450
await createMany(ground, otherProvider, [tokens.usdc, tokens.dai], MANY)
const created = await protocol.read('getAccountSubscriptions', [false, otherProvider])
const ids: readonly Hex[] = created.map(({ subscription }) => subscription.id)
await ground.keep()

/** What a read answers through a node with these faults, and in how many requests. */
async function readThrough<T>(faults: Faults, read: (reads: ChainReads) => Promise<T>) {
  proxy.fail({})
  const chains = ground.open()
  await chains.withView(chainId, {}, (view) => view.read.protocol())
  proxy.fail(faults)
  proxy.reset()
  const answer = await chains.withView(chainId, {}, (view) => read(view.read))
  return { answer, requests: proxy.requests }
}

const NODES: Faults[] = [{}, { callGas: 9_000_000 }, { overrides: 'refused' }, { hashPins: 'refused' }]

describe('subscriptions by their ids', () => {
  it('are what the account’s own view says, with fee balances and holdings', async () => {
    await ground.view(async ({ read }) => {
      const own = await read.account(alice)
      const byId = await read.membershipsById(alice, [weekly.id, monthly.id])
      const { status: _, totalSubscribers: __, ...first } = own.subscribedTo[0] ?? expect.fail('no rows')
      expect(byId.rows[0]).toEqual(first)
      expect(byId.rows.map(({ feeBalance }) => feeBalance)).toEqual(
        own.subscribedTo.map((row) => row.feeBalance),
      )
      expect(byId.rows.map(({ terms }) => terms.cancelled)).toEqual([true, false])
      expect(byId.wallet).toEqual(own.wallet)
      expect(byId.nextUncheckedDay).toBe(own.nextUncheckedDay)
    })
  })

  it.each(NODES)('come whole and in order from a node with %j', async (faults) => {
    const whole = await ground.view(({ read }) => read.accountSubscriptions(otherProvider, false))
    expect(whole.rows).toHaveLength(MANY)
    const { answer } = await readThrough(faults, (read) => read.subscriptionsById(ids))
    expect(answer.nextUncheckedDay).toBe(whole.nextUncheckedDay)
    expect(answer.rows.map(({ terms, token }) => ({ terms, token }))).toEqual(
      whole.rows.map(({ terms, token }) => ({ terms, token })),
    )
  })

  it('by the hundred are one HTTP request', async () => {
    const { requests } = await readThrough({}, (read) => read.subscriptionsById(ids))
    expect(requests).toBe(1)
  })

  it('may be none, and the answer still holds the next unchecked day', async () => {
    const nextUncheckedDay = await protocol.read('nextUncheckedDay', [])
    await ground.view(async ({ read }) => {
      expect(await read.subscriptionsById([])).toMatchObject({ nextUncheckedDay, rows: [] })
    })
  })
})

describe('fee balances of named accounts', () => {
  it('are read while the contract’s own view panics', async () => {
    const ofBob = await protocol.feeBalance(weekly, bob)
    await protocol.send(admin, 'setPageStart', [checkpointAt(weekly.id)])
    await protocol.send(alice, 'unsubscribe', [weekly])
    await ground.view(async ({ read }) => {
      await expect(read.subscribers(weekly.id)).rejects.toBeInstanceOf(ViewFailedError)
      expect((await read.feeBalances(weekly.id, [stranger, bob])).subscribers).toEqual([
        { subscriber: stranger, feeBalance: 0n },
        { subscriber: bob, feeBalance: ofBob },
      ])
    })
  })

  it('are not found for an id that the chain does not know', async () => {
    const unknown: Hex = `0x${'77'.repeat(32)}`
    await ground.view(async ({ read }) => {
      await expect(read.feeBalances(unknown, [alice])).rejects.toBeInstanceOf(SubscriptionNotFoundError)
      await expect(read.feeBalances(unknown, [])).rejects.toBeInstanceOf(SubscriptionNotFoundError)
    })
  })
})

describe('a view that is too large for the node', () => {
  const own = (read: ChainReads) => read.accountSubscriptions(otherProvider, false)
  const byName = {
    name: 'ViewFailedError',
    code: 'UPSTREAM_ERROR',
    facts: { view: 'getAccountSubscriptions' },
  }

  it('fails by its name where gas runs out, and its rows can still be read by their ids', async () => {
    // Far too little for the view, and barely too little.
    for (const callGas of [1_000_000, 3_000_000, 9_000_000]) {
      await expect(readThrough({ callGas }, own)).rejects.toMatchObject(byName)
    }
    const { answer } = await readThrough({ callGas: 6_000_000 }, (read) => read.subscriptionsById(ids))
    expect(answer.rows.map(({ terms }) => terms.id)).toEqual(ids)
  })

  it.each([
    [-32000, 'execution aborted (timeout = 5s)'],
    [-32003, 'Out of gas: gas required exceeds allowance: 30000000'],
    [-32008, 'Response is too big'],
    [-32603, 'Internal error'],
  ])('fails by its name where the node ends it with %i', async (code, message) => {
    const ended: Faults = {
      answer: ({ method }) => (method === 'eth_call' ? { error: { code, message } } : undefined),
    }
    await expect(readThrough(ended, own)).rejects.toMatchObject(byName)
    await expect(readThrough(ended, (read) => read.subscribers(weekly.id))).rejects.toMatchObject({
      name: 'ViewFailedError',
      facts: { view: 'getSubscribersById' },
    })
  })

  it('is not the error for a node that cannot be reached', async () => {
    await expect(readThrough({ drop: true }, own)).rejects.toBeInstanceOf(UpstreamError)
  })
})

it('the fee balances of a crowd are complete, in pages if the node gives little gas', async () => {
  const crowded = await protocol.create()
  const crowd = await subscribeCrowd(ground, crowded, 420)
  const whole = await ground.view(({ read }) => read.subscribers(crowded.id))
  for (const faults of [...NODES, { callGas: 2_500_000 }]) {
    const { answer } = await readThrough(faults, (read) => read.feeBalances(crowded.id, crowd))
    expect(answer.subscribers.map(({ feeBalance }) => feeBalance)).toEqual(
      whole.subscribers.map(({ feeBalance }) => feeBalance),
    )
  }
})
