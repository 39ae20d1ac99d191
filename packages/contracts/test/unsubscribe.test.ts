import { describeLogs } from '@remit/testing/support/chain/describeLogs'
import {
  Frequency,
  protocolOn,
  type Subscription,
  tupleOf,
  units,
} from '@remit/testing/support/chain/protocolOn'
import { useTestChain } from '@remit/testing/support/chain/useTestChain'
import { type Address, zeroHash } from 'viem'
import { describe, expect, test } from 'vitest'

const chain = await useTestChain()
const protocol = protocolOn(chain)
const { admin, provider, otherProvider, alice, bob, carol, stranger, janitor, keeper } = chain.wallets
const { usdc } = chain.tokens

const checkpointAt = ({ id }: Pick<Subscription, 'id'>) =>
  protocol.send(admin, 'setPageStart', [
    { id, subscriberIndex: 1n, subscriptionIndex: 1n, frequency: 0n, initialized: true },
  ])
const statusOf = async (account: Address, { id }: Subscription) => {
  const { subscriptions } = await protocol.read('getAccount', [account])
  return subscriptions.find((row) => row.id === id)?.status
}

/** On a Monday: two sevenths of the week, 2 USDC, are the fee balance of each subscriber. */
async function subscribed(...accounts: Address[]): Promise<Subscription> {
  const subscription = await protocol.create({ amount: units('7'), dueDay: 3 })
  for (const account of accounts) await protocol.join(subscription, account)
  return subscription
}

describe('unsubscribe', () => {
  const leave = async (account: Address, subscription: Subscription) =>
    describeLogs(chain, await protocol.send(account, 'unsubscribe', [subscription]))

  test('refuses an id that does not exist with "3"', async () => {
    expect(await protocol.reverts(alice, 'unsubscribe', [tupleOf(zeroHash)])).toBe('3')
  })

  test('refuses an account that has unsubscribed already with "3"', async () => {
    const subscription = await subscribed(alice)
    await leave(alice, subscription)
    expect(await protocol.reverts(alice, 'unsubscribe', [subscription])).toBe('3')
  })

  test('gives the fee balance to the provider', async () => {
    const subscription = await subscribed(alice, bob)
    expect(await leave(alice, subscription)).toEqual([
      'UNSUBSCRIBED alice 7',
      'PROVREFUND alice 2',
      'Transfer contract→provider 2',
    ])
    expect(await protocol.feeBalance(subscription, alice)).toBe(0n)
    expect(await protocol.balanceOf(usdc, protocol.address)).toBe(2_000_000n)
    expect(await statusOf(alice, subscription)).toBe(2)
  })

  test('fills the gap in the set with the last account', async () => {
    const subscription = await subscribed(alice, bob, carol)
    await leave(alice, subscription)
    expect(await protocol.subscribersOf(subscription)).toEqual([carol, bob])
  })

  test('reads nothing but the id of what it is given', async () => {
    const { id } = await subscribed(alice)
    const logs = await leave(alice, { ...tupleOf(id), amount: 1n, provider: stranger, token: stranger })
    expect(logs).toContain('Transfer contract→provider 2')
  })

  test('leaves an empty subscription on the list of its day until remit meets it', async () => {
    const subscription = await subscribed(alice)
    await leave(alice, subscription)
    expect(await protocol.read('getIdByTime', [0n, 3])).toEqual([subscription.id])
    const later = await protocol.create({ dueDay: 4 })
    await protocol.join(later, bob)
    await chain.advanceDays(3)
    await protocol.send(keeper, 'remit', [])
    expect(await protocol.read('getIdByTime', [0n, 3])).toEqual([])
  })

  test('succeeds once for an account that never subscribed, and leaves no membership', async () => {
    const subscription = await subscribed(alice)
    expect(await leave(stranger, subscription)).toEqual([
      'UNSUBSCRIBED stranger 7',
      'PROVREFUND stranger 0',
      'Transfer contract→provider 0',
    ])
    expect(await protocol.read('getAccountSubscriptions', [true, stranger])).toEqual([])
    expect(await protocol.reverts(stranger, 'unsubscribe', [subscription])).toBe('3')
  })

  test('only lists an account while the subscription is the checkpoint, money and status as ever', async () => {
    const subscription = await subscribed(alice, bob)
    await checkpointAt(subscription)
    expect(await leave(bob, subscription)).toEqual([
      'UList bob',
      'UNSUBSCRIBED bob 7',
      'PROVREFUND bob 2',
      'Transfer contract→provider 2',
    ])
    expect(await protocol.read('getUnsubscribedLength', [subscription.id])).toBe(1n)
    expect(await statusOf(bob, subscription)).toBe(2)
    const [row] = await protocol.read('getAccountSubscriptions', [false, provider])
    expect(row?.totalSubscribers).toBe(2n)
  })

  test('lists even strangers while the subscription is the checkpoint', async () => {
    const subscription = await subscribed(alice)
    await checkpointAt(subscription)
    expect((await leave(stranger, subscription))[0]).toBe('UList stranger')
    expect(await protocol.read('getUnsubscribedLength', [subscription.id])).toBe(1n)
  })

  test('succeeds once more with status CANCELLED, refunding nothing', async () => {
    const subscription = await subscribed(alice)
    await protocol.send(provider, 'cancelSubscription', [subscription])
    await protocol.send(janitor, 'cleanupCancelledSubscribers', [subscription])
    expect(await statusOf(alice, subscription)).toBe(1)
    expect(await leave(alice, subscription)).toEqual([
      'UNSUBSCRIBED alice 7',
      'PROVREFUND alice 0',
      'Transfer contract→provider 0',
    ])
    expect(await statusOf(alice, subscription)).toBe(2)
    expect(await protocol.reverts(alice, 'unsubscribe', [subscription])).toBe('3')
  })
})

test('unsubscribe works on a cancelled subscription whose token is paused', async () => {
  const subscription = await subscribed(alice)
  await protocol.send(provider, 'cancelSubscription', [subscription])
  await protocol.send(admin, 'pauseToken', [usdc, true])
  const logs = await protocol.send(alice, 'unsubscribe', [subscription])
  expect(describeLogs(chain, logs)).toContain('Transfer contract→provider 2')
})

describe('unsubscribeByProvider', () => {
  const reverts = (from: Address, subscription: Subscription, account: Address) =>
    protocol.reverts(from, 'unsubscribeByProvider', [subscription, account])

  test('refuses an id that does not exist with "3"', async () => {
    expect(await reverts(provider, tupleOf(zeroHash), alice)).toBe('3')
  })

  test('refuses an unsubscribed account with "3", before it asks who is calling', async () => {
    const subscription = await subscribed(alice)
    await protocol.send(alice, 'unsubscribe', [subscription])
    expect(await reverts(provider, subscription, alice)).toBe('3')
    expect(await reverts(stranger, subscription, alice)).toBe('3')
  })

  test('refuses anybody but the provider with "8"', async () => {
    const subscription = await subscribed(alice)
    expect(await reverts(otherProvider, subscription, alice)).toBe('8')
    expect(await reverts(alice, subscription, alice)).toBe('8')
    expect(await reverts(alice, subscription, stranger)).toBe('8')
  })

  test('refuses an account that is not subscribed with "9", or that the janitor has paid out', async () => {
    const subscription = await subscribed(alice)
    expect(await reverts(provider, subscription, stranger)).toBe('9')
    await protocol.send(provider, 'cancelSubscription', [subscription])
    await protocol.send(janitor, 'cleanupCancelledSubscribers', [subscription])
    expect(await reverts(provider, subscription, alice)).toBe('9')
  })

  test('refuses an account on the unsubscribed list as unsubscribed, "3"', async () => {
    const subscription = await subscribed(alice, bob)
    await checkpointAt(subscription)
    await protocol.send(provider, 'unsubscribeByProvider', [subscription, bob])
    expect(await reverts(provider, subscription, bob)).toBe('3')
  })

  test('gives the fee balance back to the subscriber, without a log of it', async () => {
    const subscription = await subscribed(alice, bob)
    // Of the tuple nothing but the id is read.
    const told = { ...tupleOf(subscription.id), amount: 1n, provider: stranger, token: stranger }
    const logs = await protocol.send(provider, 'unsubscribeByProvider', [told, alice])
    expect(describeLogs(chain, logs)).toEqual(['UNSUBSCRIBED alice 7', 'Transfer contract→alice 2'])
    expect(await protocol.feeBalance(subscription, alice)).toBe(0n)
    expect(await protocol.subscribersOf(subscription)).toEqual([bob])
    expect(await statusOf(alice, subscription)).toBe(2)
  })

  test('only lists the account while the subscription is the checkpoint', async () => {
    const subscription = await subscribed(alice, bob)
    await checkpointAt(subscription)
    const logs = await protocol.send(provider, 'unsubscribeByProvider', [subscription, bob])
    expect(describeLogs(chain, logs)).toEqual(['UList bob', 'UNSUBSCRIBED bob 7', 'Transfer contract→bob 2'])
  })
})

describe('cancelSubscription', () => {
  test('refuses an id that does not exist with "3"', async () => {
    expect(await protocol.reverts(provider, 'cancelSubscription', [tupleOf(zeroHash)])).toBe('3')
  })

  test('refuses anybody but the provider with "13", also once it is cancelled', async () => {
    const subscription = await subscribed(alice)
    expect(await protocol.reverts(alice, 'cancelSubscription', [subscription])).toBe('13')
    await protocol.send(provider, 'cancelSubscription', [subscription])
    expect(await protocol.reverts(alice, 'cancelSubscription', [subscription])).toBe('13')
  })

  test('refuses a second time with "23"', async () => {
    const subscription = await subscribed()
    await protocol.send(provider, 'cancelSubscription', [subscription])
    expect(await protocol.reverts(provider, 'cancelSubscription', [subscription])).toBe('23')
  })

  test('logs CANCEL without subscriber and amount, and moves no money', async () => {
    const subscription = await subscribed(alice)
    const logs = await protocol.send(provider, 'cancelSubscription', [tupleOf(subscription.id)])
    expect(describeLogs(chain, logs)).toEqual(['CANCEL nobody 0'])
    expect(await protocol.feeBalance(subscription, alice)).toBe(units('2'))
  })

  test('is CANCELLED for the provider, and ACTIVE for subscribers until the janitor comes', async () => {
    const subscription = await subscribed(alice)
    await protocol.send(provider, 'cancelSubscription', [subscription])
    expect((await protocol.read('idSubMap', [subscription.id]))[4]).toBe(true)
    const { provSubs } = await protocol.read('getAccount', [provider])
    expect(provSubs).toEqual([{ id: subscription.id, dueDay: 3, frequency: Frequency.WEEKLY, status: 1 }])
    expect(await statusOf(alice, subscription)).toBe(0)
    await protocol.send(janitor, 'cleanupCancelledSubscribers', [subscription])
    expect(await statusOf(alice, subscription)).toBe(1)
  })
})
