import { maxUint256 } from 'viem'
import { beforeEach, describe, expect, test } from 'vitest'
import { Frequency, protocolOn, units } from '../../test/support/chain/protocolOn.ts'
import { useTestChain } from '../../test/support/chain/useTestChain.ts'
import { dueDayOf } from './model.ts'
import { remittingOn } from './remitting.ts'

const chain = await useTestChain()
const protocol = protocolOn(chain)
const { remitOnly, weekly } = remittingOn(chain, protocol)
const { alice, bob, carol } = chain.wallets
const { usdc } = chain.tokens

let monday = 0
beforeEach(async () => {
  monday = Math.floor((await chain.now()) / 86_400)
})

describe('remit drops', () => {
  const due = async () => {
    await chain.advanceDays(2)
    return remitOnly(monday + 2)
  }
  const DROPPED = [
    'PROVREFUND alice 1.86',
    'Transfer contract→provider 1.86',
    'UNSUBSCRIBED alice 7',
    'FAILED alice 0',
    'Coordinates 1,1,0',
    'Transfer contract→keeper 0.14',
  ]

  test('a subscriber whose allowance is below a full period, at once', async () => {
    const subscription = await weekly()
    await protocol.join(subscription, alice)
    await protocol.fund(usdc, alice, { allowance: 6_999_999n })
    expect(await due()).toEqual([...DROPPED, `CallerLog ${monday + 2} finished`])
    expect(await protocol.feeBalance(subscription, alice)).toBe(0n)
    expect(await protocol.subscribersOf(subscription)).toEqual([])
    const { subscriptions } = await protocol.read('getAccount', [alice])
    expect(subscriptions).toEqual([{ id: subscription.id, dueDay: 3, frequency: 0, status: 2 }])
  })

  test('a subscriber whose balance is below a full period, at once', async () => {
    await protocol.join(await weekly(), alice, { balance: 8_999_999n })
    expect(await due()).toEqual([...DROPPED, `CallerLog ${monday + 2} finished`])
  })

  test('nobody who has exactly a full period of both', async () => {
    await protocol.join(await weekly(), alice, { balance: 9_000_000n, allowance: 9_000_000n })
    expect(await due()).toContain('SUBPAID alice 7')
  })

  test('whoever approved exactly one period, which subscribe has spent in part', async () => {
    await protocol.join(await weekly(), alice, { allowance: 7_000_000n })
    expect(await due()).toContain('FAILED alice 0')
  })

  test('a subscriber from the second of two subscriptions that share an allowance for one', async () => {
    const first = await weekly()
    const second = await weekly()
    for (const subscription of [first, second]) await protocol.join(subscription, alice)
    await protocol.fund(usdc, alice, { allowance: 7_000_000n })
    await due()
    // The list is walked from its end.
    expect(await protocol.subscribersOf(second)).toEqual([alice])
    expect(await protocol.subscribersOf(first)).toEqual([])
  })

  test('without paying out a fee balance that is not more than one fee: it stays locked', async () => {
    const subscription = await weekly({ dueDay: dueDayOf(monday, Frequency.WEEKLY) })
    await protocol.join(subscription, alice)
    await protocol.fund(usdc, alice, { allowance: 0n })
    expect(await remitOnly(monday)).toEqual([
      'UNSUBSCRIBED alice 7',
      'FAILED alice 0',
      'Coordinates 1,1,0',
      'Transfer contract→keeper 0',
      `CallerLog ${monday} finished`,
    ])
    expect(await protocol.feeBalance(subscription, alice)).toBe(units('0.14'))
    expect(await protocol.reverts(alice, 'unsubscribe', [subscription])).toBe('3')
  })

  test('some and charges the others of the same set', async () => {
    const subscription = await weekly()
    for (const account of [alice, bob, carol]) await protocol.join(subscription, account)
    await protocol.fund(usdc, bob, { allowance: 0n })
    const lines = await due()
    expect(lines.filter((line) => /^(SUBPAID|FAILED)/.test(line))).toEqual([
      'SUBPAID carol 7',
      'FAILED bob 0',
      'SUBPAID alice 7',
    ])
    expect(lines).toContain('Transfer contract→keeper 0.42')
    expect(await protocol.subscribersOf(subscription)).toEqual([alice, carol])
  })

  test('who may subscribe again afterwards', async () => {
    const subscription = await weekly()
    await protocol.join(subscription, alice)
    await protocol.fund(usdc, alice, { allowance: 0n })
    await due()
    await protocol.fund(usdc, alice, { allowance: maxUint256 })
    await protocol.send(alice, 'subscribe', [subscription])
    expect(await protocol.subscribersOf(subscription)).toEqual([alice])
    expect(await protocol.read('getIdByTime', [0n, 3])).toEqual([subscription.id])
  })
})
