import { type Address, zeroHash } from 'viem'
import { beforeEach, describe, expect, test } from 'vitest'
import {
  Frequency,
  protocolOn,
  type Subscription,
  type Terms,
  tupleOf,
  units,
} from '../../test/support/chain/protocolOn.ts'
import { useTestChain } from '../../test/support/chain/useTestChain.ts'
import { remittingOn } from './remitting.ts'

const chain = await useTestChain({ terms: { maxRemits: 2n } })
const protocol = protocolOn(chain)
const { charged, remit, reverts, weekly } = remittingOn(chain, protocol)
const { admin, provider, alice, bob, carol, dave, stranger, janitor } = chain.wallets

/** The Wednesday on which everything here is due: day 4 of the month, 63 of the quarter and of the year. */
let wednesday = 0
beforeEach(async () => {
  wednesday = Math.floor((await chain.now()) / 86_400) + 2
  await protocol.send(admin, 'setNextUncheckedDay', [wednesday])
})

async function due(accounts: readonly Address[], terms: Terms = {}): Promise<Subscription> {
  const subscription = await weekly(terms)
  for (const account of accounts) await protocol.join(subscription, account)
  return subscription
}
const unsubscribe = (account: Address, subscription: Subscription) =>
  protocol.send(account, 'unsubscribe', [subscription])
const setCheckpoint = (
  { id }: Pick<Subscription, 'id'>,
  position = { u: 1n, s: 1n, f: 0n },
  initialized = true,
) =>
  protocol.send(admin, 'setPageStart', [
    {
      id,
      subscriberIndex: position.u,
      subscriptionIndex: position.s,
      frequency: position.f,
      initialized,
    },
  ])

describe('the checkpoint', () => {
  test('bounds the positions of later frequencies too, so that what stands above is skipped for good', async () => {
    const monthly = { frequency: Frequency.MONTHLY, dueDay: 4 }
    await due([alice, bob, carol])
    await due([dave], monthly)
    await due([stranger], monthly)
    await chain.advanceDays(2)
    expect(await charged()).toEqual(['carol', 'bob', 'broken off'])
    // Position 1 of both lists; the stranger stands at 2.
    expect(await charged()).toEqual(['alice', 'dave', 'finished'])
    expect(await reverts()).toBe('6')
  })

  test('passes over the frequencies before its own', async () => {
    await due([dave, stranger])
    await due([alice, bob, carol], { frequency: Frequency.MONTHLY, dueDay: 4 })
    await chain.advanceDays(2)
    expect(await charged()).toEqual(['stranger', 'dave', 'broken off'])
    expect(await charged()).toEqual(['carol', 'bob', 'broken off'])
    expect(await charged()).toEqual(['alice', 'finished'])
  })

  test.each(['cancelled', 'paused'])(
    'clears itself where its subscription is %s: the rest of the day is walked in full',
    async (how) => {
      const monthly = { frequency: Frequency.MONTHLY, dueDay: 4 }
      const token = chain.tokens.dai
      await due([dave])
      const subscription = await due([alice, bob, carol], { token })
      await due([dave], monthly)
      await due([stranger], monthly)
      await chain.advanceDays(2)
      expect(await charged()).toEqual(['carol', 'bob', 'broken off'])
      if (how === 'cancelled') await protocol.send(provider, 'cancelSubscription', [subscription])
      else await protocol.send(admin, 'pauseToken', [token, true])
      await protocol.send(admin, 'changeMaxRemits', [10n])
      expect(await charged()).toEqual(['dave', 'stranger', 'dave', 'finished'])
    },
  )

  test('that is not initialized keeps no remit from walking the whole day', async () => {
    await due([alice])
    await due([bob])
    await setCheckpoint({ id: zeroHash }, { u: 1n, s: 0n, f: 3n }, false)
    await chain.advanceDays(2)
    expect(await charged()).toEqual(['bob', 'alice', 'finished'])
  })

  test('is overwritten by a second break', async () => {
    const first = await due([alice])
    const second = await due([alice, bob, carol])
    await chain.advanceDays(2)
    await remit()
    expect(await protocol.reverts(dave, 'subscribe', [second])).toBe('24')
    expect(await protocol.reverts(dave, 'subscribe', [first])).toBe('10')
    await protocol.send(admin, 'changeMaxRemits', [1n])
    await remit()
    expect(await protocol.reverts(dave, 'subscribe', [second])).toBe('10')
    expect(await protocol.reverts(dave, 'subscribe', [first])).toBe('24')
  })

  test('that is never met lets the rest of its day go by without a charge', async () => {
    const subscription = await due([alice, bob])
    await setCheckpoint({ id: zeroHash }, { u: 1n, s: 9n, f: 0n })
    await chain.advanceDays(2)
    expect(await remit()).toEqual([`CallerLog ${wednesday} finished`])
    expect(await protocol.feeBalance(subscription, alice)).toBe(units('2'))
  })

  test('that is never met stays, with "6", where nothing else of today has subscribers', async () => {
    await due([alice])
    await setCheckpoint(tupleOf(zeroHash), { u: 1n, s: 0n, f: 0n })
    await chain.advanceDays(2)
    expect(await reverts()).toBe('6')
    await setCheckpoint(tupleOf(zeroHash), { u: 1n, s: 1n, f: 0n })
    expect(await charged()).toEqual(['finished'])
  })

  test('passes over a subscription above it without taking it off, even one without subscribers', async () => {
    const kept = await due([alice])
    const left = await due([bob])
    await protocol.send(bob, 'unsubscribe', [left])
    await setCheckpoint(kept)
    await chain.advanceDays(2)
    expect(await charged()).toEqual(['alice', 'finished'])
    expect(await protocol.read('getIdByTime', [0n, 3])).toEqual([kept.id, left.id])
  })

  test('opens the way for the janitor once it is gone: listed accounts then leave the set', async () => {
    const subscription = await due([alice, bob, carol])
    await chain.advanceDays(2)
    await remit()
    await unsubscribe(alice, subscription)
    expect(await protocol.reverts(janitor, 'cleanUnsubscribeList', [subscription.id])).toBe('empty')
    await remit()
    await protocol.send(janitor, 'cleanUnsubscribeList', [subscription.id])
    expect(await protocol.subscribersOf(subscription)).toEqual([carol, bob])
  })
})
