import { Frequency, protocolOn, units } from '@remit/testing/support/chain/protocolOn'
import { useTestChain } from '@remit/testing/support/chain/useTestChain'
import { beforeEach, describe, expect, test } from 'vitest'
import { remittingOn } from './remitting.ts'

const chain = await useTestChain()
const protocol = protocolOn(chain)
const { remit, remitOnly, reverts, weekly } = remittingOn(chain, protocol)
const { admin, provider, alice, bob } = chain.wallets
const { usdc } = chain.tokens
const nextUncheckedDay = () => protocol.read('nextUncheckedDay', [])

let monday = 0
beforeEach(async () => {
  monday = Math.floor((await chain.now()) / 86_400)
})

describe('remit walks the days', () => {
  test('and refuses with "6" once today is checked', async () => {
    await protocol.join(await weekly({ dueDay: 1 }), alice)
    await remit()
    expect(await nextUncheckedDay()).toBe(monday + 1)
    expect(await reverts()).toBe('6')
  })

  test('and refuses with "6" where every day up to today is empty, so that no day is checked', async () => {
    await protocol.join(await weekly(), alice)
    expect(await reverts()).toBe('6')
    await chain.advanceDays(1)
    expect(await reverts()).toBe('6')
    expect(await nextUncheckedDay()).toBe(monday - 2)
  })

  test('from two days before the deployment, over empty days up to one that is due, in one transaction', async () => {
    await protocol.join(await weekly(), alice)
    await chain.advanceDays(2)
    expect(await remit()).toEqual([
      `CallerLog ${monday - 2} finished`,
      `CallerLog ${monday - 1} finished`,
      `CallerLog ${monday} finished`,
      `CallerLog ${monday + 1} finished`,
      'Coordinates 1,1,0',
      'SUBPAID alice 7',
      'PROVPAID alice 7',
      'Transfer alice→provider 7',
      'Transfer contract→keeper 0.14',
      `CallerLog ${monday + 2} finished`,
    ])
    expect(await nextUncheckedDay()).toBe(monday + 3)
  })

  test('clearing at most one day that has anything, however large the backlog', async () => {
    await protocol.join(await weekly({ dueDay: 3 }), alice)
    await protocol.join(await weekly({ dueDay: 5 }), alice)
    await chain.advanceDays(7)
    expect(await remit()).toContain(`CallerLog ${monday + 2} finished`)
    expect(await nextUncheckedDay()).toBe(monday + 3)
    expect(await remit()).toContain(`CallerLog ${monday + 4} finished`)
    expect(await nextUncheckedDay()).toBe(monday + 5)
    expect(await reverts()).toBe('6')
  })

  test('charging every week of a backlog of weeks', async () => {
    await protocol.join(await weekly(), alice)
    const before = await protocol.balanceOf(usdc, provider)
    await chain.advanceDays(16)
    for (let week = 0; week < 3; week += 1) await remit()
    expect((await protocol.balanceOf(usdc, provider)) - before).toBe(21_000_000n)
    expect(await reverts()).toBe('6')
  })

  test('matching due days by equality only: no day is there for the 29th to the 31st', async () => {
    const subscription = await weekly({ frequency: Frequency.MONTHLY, dueDay: 28 })
    await protocol.join(subscription, alice)
    await protocol.send(admin, 'setNextUncheckedDay', [monday])
    // To 31 March.
    await chain.advanceDays(29)
    expect((await remit()).at(-1)).toBe(`CallerLog ${monday + 26} finished`)
    expect(await reverts()).toBe('6')
  })

  test('until too many of them are empty for one transaction, which the admin can skip', async () => {
    await protocol.join(await weekly({ frequency: Frequency.YEARLY, dueDay: 58 }), alice)
    await chain.advanceDays(364)
    expect(await reverts()).toContain('StackOverflow')
    await protocol.send(admin, 'setNextUncheckedDay', [monday + 361])
    expect(await remit()).toContain('SUBPAID alice 7')
  })

  test('of which 196 empty ones fit into one transaction, as the deployed protocol was seen to walk', async () => {
    await protocol.join(await weekly({ frequency: Frequency.YEARLY, dueDay: 79 }), alice)
    await chain.advanceDays(18)
    await protocol.send(admin, 'setNextUncheckedDay', [monday + 18 - 196])
    const lines = await remit()
    expect(lines.filter((line) => line.endsWith('finished'))).toHaveLength(197)
    expect((await chain.client.getBlock()).gasUsed).toBeLessThan(5_000_000n)
  })

  test('taking a subscription that has lost its subscribers off the list: its day is empty', async () => {
    const left = await weekly()
    await protocol.join(left, alice)
    await protocol.send(alice, 'unsubscribe', [left])
    await chain.advanceDays(2)
    expect(await reverts()).toBe('6')
    await protocol.join(await weekly({ dueDay: 4 }), bob)
    await chain.advanceDays(1)
    await remit()
    expect(await nextUncheckedDay()).toBe(monday + 4)
    expect(await protocol.read('getIdByTime', [0n, 3])).toEqual([])
  })

  test('and a day with nothing but a cancelled subscription is not empty; it pays nobody and goes off the list', async () => {
    const cancelled = await weekly()
    await protocol.join(cancelled, alice)
    await protocol.send(provider, 'cancelSubscription', [cancelled])
    await chain.advanceDays(2)
    expect(await remitOnly(monday + 2)).toEqual([`CallerLog ${monday + 2} finished`])
    expect(await protocol.read('getIdByTime', [0n, 3])).toEqual([])
    expect(await protocol.feeBalance(cancelled, alice)).toBe(units('2'))
  })

  test('taking a cancelled subscription off the list although its token is paused', async () => {
    const cancelled = await weekly()
    await protocol.join(cancelled, alice)
    await protocol.send(provider, 'cancelSubscription', [cancelled])
    await protocol.send(admin, 'pauseToken', [usdc, true])
    await chain.advanceDays(2)
    await remitOnly(monday + 2)
    expect(await protocol.read('getIdByTime', [0n, 3])).toEqual([])
  })

  test('and a day with nothing but a paused token is not empty; the period is lost, the place is kept', async () => {
    const subscription = await weekly()
    await protocol.join(subscription, alice)
    await protocol.send(admin, 'pauseToken', [usdc, true])
    await chain.advanceDays(2)
    expect(await remitOnly(monday + 2)).toEqual([`CallerLog ${monday + 2} finished`])
    await protocol.send(admin, 'pauseToken', [usdc, false])
    expect(await reverts()).toBe('6')
    expect(await protocol.read('getIdByTime', [0n, 3])).toEqual([subscription.id])
  })
})
