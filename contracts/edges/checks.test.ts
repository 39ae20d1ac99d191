import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Recorded } from '../testing/life.ts'
import { Stage, zeroId } from '../testing/Stage.ts'

let stage: Stage
beforeAll(async () => {
  stage = await Stage.open()
})
afterAll(() => stage.chain.stop())
beforeEach(async () => {
  await stage.save()
  await stage.create('A', { frequency: 'WEEKLY', dueDay: 1 })
})
afterEach(() => stage.restore())

const noAllowance = (name: string) => stage.token('token18', name, 'approve', 'contract', '0')
const pause = () => stage.does('admin', 'pauseToken', 'token18', true)
const cancel = () => stage.does('provider', 'cancelSubscription', stage.tuple('A'))

describe('subscribe', () => {
  const fails = (from: string, changed = {}) => stage.fails(from, 'subscribe', stage.tuple('A', changed))

  it('answers 10 before 0: a provider without allowance is told of the allowance', async () => {
    expect(await fails('provider')).toBe('0')
    await noAllowance('provider')
    expect(await fails('provider')).toBe('10')
  })

  it('answers 20 before 10, and 3 before everything', async () => {
    await noAllowance('ann')
    await pause()
    expect(await fails('ann')).toBe('20')
    expect(await fails('ann', { id: zeroId })).toBe('3')
  })

  it('answers 25 before 23, and 0 before 23', async () => {
    await stage.subscribe('A', 'ann')
    await cancel()
    expect(await fails('ann')).toBe('25')
    expect(await fails('provider')).toBe('0')
    expect(await fails('ben')).toBe('23')
  })

  it('reads nothing of the tuple but its id', async () => {
    const strange = {
      amount: '1',
      provider: 'ann',
      token: 'token6',
      cancelled: true,
      frequency: 200,
      dueDay: 9,
    }
    expect(await stage.does('ann', 'subscribe', stage.tuple('A', strange))).toContain('A SUBSCRIBED ann 100')
    expect(await stage.does('ann', 'unsubscribe', stage.tuple('A', strange))).toContain(
      'A UNSUBSCRIBED ann 100',
    )
    await stage.subscribe('A', 'ben')
    await stage.does('provider', 'unsubscribeByProvider', stage.tuple('A', strange), 'ben')
    expect(await stage.does('provider', 'cancelSubscription', stage.tuple('A', strange))).toEqual([
      'A CANCEL zero 0',
    ])
  })
})

describe('createSubscription', () => {
  const fails = (amount: string, token: string, frequency: number, dueDay: number): Promise<string> =>
    stage.fails(
      'provider',
      'createSubscription',
      amount,
      token,
      { url: '', description: '' },
      frequency,
      dueDay,
    )

  it('checks the token, then the due day, then the minimum', async () => {
    expect(await fails('0', 'zero', 0, 0)).toBe('4')
    expect(await fails('0', 'stranger', 0, 0)).toBe('5')
    await pause()
    expect(await fails('0', 'token18', 0, 0)).toBe('20')
    await stage.does('admin', 'addERC20Contract', 'eve', '10', 6)
    expect(await fails('9', 'eve', 0, 8)).toBe('14')
    expect(await fails('9', 'eve', 0, 7)).toBe('18')
    expect(await fails('10', 'eve', 0, 7)).toBe('succeeds')
  })

  it.each([
    [0, 7, '14'],
    [1, 28, '15'],
    [2, 90, '16'],
    [3, 365, '17'],
  ] as const)('accepts due days of frequency %i from 1 to %i', async (frequency, last, reason) => {
    expect(await fails('1', 'token18', frequency, 0)).toBe(reason)
    expect(await fails('1', 'token18', frequency, 1)).toBe('succeeds')
    expect(await fails('1', 'token18', frequency, last)).toBe('succeeds')
    expect(await fails('1', 'token18', frequency, last + 1)).toBe(reason)
  })

  it('reverts without data for a frequency that there is not', async () => {
    expect(await fails('1', 'zero', 4, 1)).toBe('empty')
  })
})

describe('unsubscribeByProvider', () => {
  const fails = (from: string, subscriber: string) =>
    stage.fails(from, 'unsubscribeByProvider', stage.tuple('A'), subscriber)

  it('answers 3 for an account that unsubscribed before it asks who the provider is', async () => {
    await stage.subscribe('A', 'ann')
    await stage.unsubscribe('A', 'ann')
    expect(await fails('stranger', 'ann')).toBe('3')
    expect(await fails('provider', 'ann')).toBe('3')
  })

  it('answers 8 before 9', async () => {
    expect(await fails('stranger', 'ann')).toBe('8')
    expect(await fails('provider', 'ann')).toBe('9')
  })

  it('answers 9 for an account that the janitor has cleaned up', async () => {
    await stage.subscribe('A', 'ann')
    await cancel()
    await stage.does('janitor', 'cleanupCancelledSubscribers', stage.tuple('A'))
    expect(await fails('provider', 'ann')).toBe('9')
  })
})

describe('cancelSubscription', () => {
  it('answers 3, then 13, then 23', async () => {
    const fails = (from: string, changed = {}) =>
      stage.fails(from, 'cancelSubscription', stage.tuple('A', changed))
    expect(await fails('provider', { id: zeroId })).toBe('3')
    await cancel()
    expect(await fails('stranger')).toBe('13')
    expect(await fails('provider')).toBe('23')
  })

  it('leaves the status of the subscribers as it is', async () => {
    await stage.subscribe('A', 'ann')
    await cancel()
    const status = (bySubscriber: boolean, name: string): Promise<Recorded> =>
      stage.view('getAccountSubscriptions', bySubscriber, name)
    expect(await status(true, 'ann')).toMatchObject([{ status: 0, subscription: { cancelled: true } }])
    expect(await status(false, 'provider')).toMatchObject([{ status: 1 }])
    expect(await stage.view('getAccount', 'ann')).toMatchObject({
      accountAddress: 'ann',
      subscriptions: [{ id: stage.id('A'), dueDay: 1, frequency: 0, status: 0 }],
      provSubs: [],
    })
  })
})

describe('editDetails', () => {
  it('does nothing for a stranger and for an unknown id', async () => {
    const details = { url: '', description: 'new' }
    expect(await stage.does('stranger', 'editDetails', details, stage.id('A'))).toEqual([])
    expect(await stage.does('stranger', 'editDetails', details, zeroId)).toEqual([])
    expect(await stage.does('provider', 'editDetails', details, stage.id('A'))).toEqual(['DetailsLog'])
  })
})

describe('unsubscribe', () => {
  it('succeeds once for an account that never subscribed', async () => {
    expect(await stage.does('stranger', 'unsubscribe', stage.tuple('A'))).toEqual([
      'A UNSUBSCRIBED stranger 100',
      'A PROVREFUND stranger 0',
      'contract -> provider 0 token18',
    ])
    expect(await stage.fails('stranger', 'unsubscribe', stage.tuple('A'))).toBe('3')
    expect(await stage.view('getAccountSubscriptions', true, 'stranger')).toEqual([])
  })

  it('works on a cancelled subscription and while the token is paused', async () => {
    await stage.subscribe('A', 'ann')
    await cancel()
    await pause()
    expect(await stage.does('ann', 'unsubscribe', stage.tuple('A'))).toContain(
      'contract -> provider 2 token18',
    )
  })
})
