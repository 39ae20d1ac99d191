import {
  Frequency,
  protocolOn,
  type Subscription,
  type Terms,
  tupleOf,
  units,
} from '@remit/testing/support/chain/protocolOn'
import { useTestChain } from '@remit/testing/support/chain/useTestChain'
import { type Address, zeroHash } from 'viem'
import { beforeEach, describe, expect, test } from 'vitest'
import { remittingOn } from './remitting.ts'

const chain = await useTestChain({ terms: { maxRemits: 2n } })
const protocol = protocolOn(chain)
const { charged, remit, reverts, weekly } = remittingOn(chain, protocol)
const { admin, provider, alice, bob, carol, dave, stranger, janitor, keeper } = chain.wallets

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

const { usdc } = chain.tokens
const everybody = [alice, bob, carol, dave, stranger]
describe('remit breaks off', () => {
  test('after maxRemits subscribers, pays the fees so far, and leaves the day unchecked', async () => {
    await due(everybody)
    await chain.advanceDays(2)
    expect(await remit()).toEqual([
      'Coordinates 5,1,0',
      'SUBPAID stranger 7',
      'PROVPAID stranger 7',
      'Transfer stranger→provider 7',
      'Coordinates 4,1,0',
      'SUBPAID dave 7',
      'PROVPAID dave 7',
      'Transfer dave→provider 7',
      'Transfer contract→keeper 0.28',
      `CallerLog ${wednesday} broken off`,
    ])
    expect(await protocol.read('nextUncheckedDay', [])).toBe(wednesday)
  })

  test('and goes on at the checkpoint until the day is finished: everybody pays exactly once', async () => {
    await due(everybody)
    await chain.advanceDays(2)
    expect(await charged()).toEqual(['stranger', 'dave', 'broken off'])
    expect(await charged()).toEqual(['carol', 'bob', 'broken off'])
    expect(await charged()).toEqual(['alice', 'finished'])
    expect(await reverts()).toBe('6')
    expect(await protocol.balanceOf(usdc, keeper)).toBe(700_000n)
  })

  test('not where the last subscriber is the one that reaches maxRemits', async () => {
    await due([alice, bob])
    await chain.advanceDays(2)
    expect(await charged()).toEqual(['bob', 'alice', 'finished'])
  })

  test('before the next subscription, whose own fee at that point is a transfer of 0', async () => {
    await due([alice])
    await due([bob, carol])
    await chain.advanceDays(2)
    const lines = await remit()
    expect(lines.slice(-4)).toEqual([
      'Transfer bob→provider 7',
      'Transfer contract→keeper 0.28',
      'Transfer contract→keeper 0',
      `CallerLog ${wednesday} broken off`,
    ])
    expect(await charged()).toEqual(['alice', 'finished'])
  })

  test('counting subscribers that are dropped too', async () => {
    await due([alice, bob, carol])
    await protocol.fund(usdc, carol, { allowance: 0n })
    await chain.advanceDays(2)
    expect(await charged()).toEqual(['carol', 'bob', 'broken off'])
    expect(await charged()).toEqual(['alice', 'finished'])
  })

  test('at the first position each time where maxRemits is 0', async () => {
    await due([alice, bob])
    await protocol.send(admin, 'changeMaxRemits', [0n])
    await chain.advanceDays(2)
    expect(await charged()).toEqual(['broken off'])
    expect(await charged()).toEqual(['broken off'])
  })

  test('in one day after the other of a backlog', async () => {
    await due([alice, bob, carol])
    await due([alice, bob, carol], { dueDay: 4 })
    await chain.advanceDays(4)
    for (let day = 0; day < 2; day += 1) {
      expect(await charged()).toEqual(['carol', 'bob', 'broken off'])
      expect(await charged()).toEqual(['alice', 'finished'])
    }
    expect(await protocol.read('nextUncheckedDay', [])).toBe(wednesday + 2)
  })
})

describe('while a page is open', () => {
  /** Carol and bob have paid; the checkpoint is at alice, position 1. */
  async function broken(accounts: readonly Address[] = [alice, bob, carol]): Promise<Subscription> {
    const subscription = await due(accounts)
    await chain.advanceDays(2)
    await remit()
    return subscription
  }

  test('nobody can subscribe to the checkpoint: "24", until the day is finished', async () => {
    const subscription = await broken()
    expect(await protocol.reverts(dave, 'subscribe', [subscription])).toBe('24')
    await remit()
    expect(await protocol.reverts(dave, 'subscribe', [subscription])).toBe('10')
  })

  test('the list of subscribers panics with 0x32 where a listed account stands before an unlisted one', async () => {
    const subscription = await broken()
    await unsubscribe(alice, subscription)
    const args = [subscription.id] as const
    expect(await protocol.reverts(alice, 'getSubscribersById', args)).toBe('Panic(50)')
  })

  test('the list of subscribers leaves out listed accounts that stand behind all others', async () => {
    const subscription = await broken()
    await unsubscribe(carol, subscription)
    expect(await protocol.subscribersOf(subscription)).toEqual([alice, bob])
  })

  test('the list of subscribers and remit panic with 0x11 where strangers outgrow the set', async () => {
    const subscription = await broken()
    for (const account of [alice, bob, carol, dave]) await unsubscribe(account, subscription)
    const args = [subscription.id] as const
    expect(await protocol.reverts(alice, 'getSubscribersById', args)).toBe('Panic(17)')
    expect(await reverts()).toBe('Panic(17)')
  })

  test('a list that strangers made outgrow the set is no matter while its token is paused', async () => {
    const subscription = await broken()
    for (const account of [alice, bob, carol, dave]) await unsubscribe(account, subscription)
    await protocol.send(admin, 'pauseToken', [usdc, true])
    expect(await remit()).toEqual([`CallerLog ${wednesday} finished`])
  })

  test('a listed account is passed over without being counted', async () => {
    const subscription = await broken(everybody)
    await unsubscribe(bob, subscription)
    expect(await charged()).toEqual(['carol', 'alice', 'finished'])
  })

  test('a listed account can be the checkpoint that the next remit begins at', async () => {
    const subscription = await broken(everybody)
    await unsubscribe(carol, subscription)
    expect(await charged()).toEqual(['bob', 'alice', 'finished'])
  })

  test('a listed account can be where the page breaks again: the limit is tested first', async () => {
    const subscription = await broken(everybody)
    await unsubscribe(alice, subscription)
    expect(await charged()).toEqual(['carol', 'bob', 'broken off'])
    expect(await remit()).toEqual([`CallerLog ${wednesday} finished`])
  })

  test('the fees stay in the contract where the account at position 1 is listed', async () => {
    const subscription = await broken([alice, bob, carol, dave])
    await unsubscribe(alice, subscription)
    const before = await protocol.balanceOf(usdc, keeper)
    expect(await charged()).toEqual(['bob', 'finished'])
    expect(await protocol.balanceOf(usdc, keeper)).toBe(before)
  })

  test('the fees stay in the contract where as many are listed as the set has, strangers included', async () => {
    const subscription = await broken([alice, bob, carol])
    for (const account of [bob, carol, stranger]) await unsubscribe(account, subscription)
    const lines = await remit()
    expect(lines).toContain('SUBPAID alice 7')
    expect(lines.some((line) => line.startsWith('Transfer contract'))).toBe(false)
  })

  test('listed accounts keep a subscription on the list of its day, and make that day count', async () => {
    const subscription = await broken([alice, bob, carol])
    for (const account of [alice, bob, carol]) await unsubscribe(account, subscription)
    expect(await remit()).toEqual([`CallerLog ${wednesday} finished`])
    await chain.advanceDays(7)
    expect((await remit()).at(-1)).toBe(`CallerLog ${wednesday + 7} finished`)
    expect(await protocol.read('getIdByTime', [0n, 3])).toEqual([subscription.id])
  })

  test('a subscription that is listed between two pages is passed over that day', async () => {
    await broken()
    const added = await due([dave])
    expect(await charged()).toEqual(['alice', 'finished'])
    expect(await protocol.read('getIdByTime', [0n, 3])).toContain(added.id)
    expect(await reverts()).toBe('6')
  })
})
