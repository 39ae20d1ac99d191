import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { Stage, zeroId } from '../testing/Stage.ts'

let stage: Stage
beforeAll(async () => {
  stage = await Stage.open({ cancelLimit: 2n })
})
afterAll(() => stage.chain.stop())
beforeEach(() => stage.save())
afterEach(() => stage.restore())

async function monday(name: string, ...subscribers: string[]): Promise<void> {
  await stage.create(name, { frequency: 'WEEKLY', dueDay: 1 })
  await stage.subscribe(name, ...subscribers)
}

async function cancelled(name: string, ...subscribers: string[]): Promise<void> {
  await monday(name, ...subscribers)
  await stage.does('provider', 'cancelSubscription', stage.tuple(name))
}

async function pin(id: string): Promise<void> {
  const page = { id, subscriberIndex: 0, subscriptionIndex: 0, frequency: 0, initialized: false }
  await stage.does('admin', 'setPageStart', page)
}

const cleanup = (name: string) => stage.does('janitor', 'cleanupCancelledSubscribers', stage.tuple(name))
const cleanList = (name: string) => stage.does('janitor', 'cleanUnsubscribeList', stage.id(name))

describe('cleanupCancelledSubscribers', () => {
  it('pays back from the end of the set, cancelLimit accounts at a time', async () => {
    await cancelled('A', 'ann', 'ben', 'cid')
    expect(await cleanup('A')).toEqual([
      'A UNSUBSCRIBED cid 100',
      'A SUBREFUND cid 100',
      'contract -> cid 2 token18',
      'A UNSUBSCRIBED ben 100',
      'A SUBREFUND ben 100',
      'contract -> ben 2 token18',
    ])
    expect(await cleanup('A')).toHaveLength(3)
    expect(await stage.fails('janitor', 'cleanupCancelledSubscribers', stage.tuple('A'))).toBe('22')
  })

  it('keeps the system share of the whole balance and sends the sum at the end', async () => {
    await stage.does('admin', 'systemFeeActivate', true)
    await cancelled('A', 'ann', 'ben')
    expect(Stage.transfers(await cleanup('A'))).toEqual([
      'contract -> ben 1.8 token18',
      'contract -> ann 1.8 token18',
      'contract -> admin 0.4 token18',
    ])
  })

  it('spends a turn on a listed account, which leaves the set silently but stays listed', async () => {
    await stage.does('admin', 'systemFeeActivate', true)
    await monday('A', 'ann', 'ben', 'cid')
    await pin(stage.id('A'))
    await stage.unsubscribe('A', 'ben', 'cid')
    await stage.does('provider', 'cancelSubscription', stage.tuple('A'))
    expect(await cleanup('A')).toEqual(['contract -> admin 0 token18'])
    expect(await stage.view('getUnsubscribedLength', stage.id('A'))).toBe('2')
    expect(await stage.setSize('A')).toBe(1)
    expect(await stage.view('getAccountSubscriptions', true, 'cid')).toMatchObject([{ status: 2 }])
  })

  it('leaves accounts CANCELLED, who may unsubscribe once more for nothing', async () => {
    await cancelled('A', 'ann')
    expect(await stage.view('getAccountSubscriptions', true, 'ann')).toMatchObject([{ status: 0 }])
    await cleanup('A')
    expect(await stage.view('getAccountSubscriptions', true, 'ann')).toMatchObject([{ status: 1 }])
    expect(await stage.does('ann', 'unsubscribe', stage.tuple('A'))).toEqual([
      'A UNSUBSCRIBED ann 100',
      'A PROVREFUND ann 0',
      'contract -> provider 0 token18',
    ])
    expect(await stage.fails('ann', 'unsubscribe', stage.tuple('A'))).toBe('3')
  })

  it('takes provider, amount and token from the tuple, and existence and cancelled from the record', async () => {
    await cancelled('A', 'ann')
    await stage.token('token6', 'ann', 'transfer', 'contract', '5000000')
    const told = { amount: '7', token: 'token6', provider: 'stranger', cancelled: false, frequency: 3 }
    const logs = await stage.does('janitor', 'cleanupCancelledSubscribers', stage.tuple('A', told))
    expect(logs).toEqual([
      'A UNSUBSCRIBED ann 0.000000000000000007',
      'A SUBREFUND ann 0.000000000000000007',
      'contract -> ann 2 token6',
    ])
  })

  it('fails by the token where the tuple names one without code', async () => {
    await cancelled('A', 'ann')
    const told = stage.tuple('A', { token: 'stranger' })
    expect(await stage.fails('janitor', 'cleanupCancelledSubscribers', told)).toBe(
      'SafeERC20FailedOperation(stranger)',
    )
  })

  it('checks the frequency, then the role, then existence, the cancellation and the subscribers', async () => {
    await monday('A', 'ann')
    await monday('B')
    const fails = (from: string, name: string, changed = {}) =>
      stage.fails(from, 'cleanupCancelledSubscribers', stage.tuple(name, changed))
    expect(await fails('stranger', 'A', { frequency: 4 })).toBe('empty')
    expect(await fails('stranger', 'A')).toMatch(/^AccessControlUnauthorizedAccount\(stranger,/)
    expect(await fails('janitor', 'A', { id: zeroId, cancelled: true })).toBe('3')
    expect(await fails('janitor', 'A', { cancelled: true })).toBe('empty')
    await stage.does('provider', 'cancelSubscription', stage.tuple('B'))
    expect(await fails('janitor', 'B')).toBe('22')
  })

  it('may run on the checkpoint', async () => {
    await cancelled('A', 'ann')
    await pin(stage.id('A'))
    expect(await cleanup('A')).toHaveLength(3)
  })
})

describe('cleanUnsubscribeList', () => {
  it('takes accounts off the end of the list and out of the set, cancelLimit at a time, without logs', async () => {
    await monday('A', 'ann', 'ben', 'cid', 'dot')
    await pin(stage.id('A'))
    await stage.unsubscribe('A', 'dot', 'ann', 'ben')
    await pin(zeroId)
    expect(await cleanList('A')).toEqual([])
    expect(await stage.view('getUnsubscribedLength', stage.id('A'))).toBe('1')
    // ben left first and dot took his place; then ann left and cid took hers. dot is still listed.
    expect(await stage.setSize('A')).toBe(2)
    await stage.subscribe('A', 'dot')
    expect(await stage.view('getSubscribersById', stage.id('A'))).toMatchObject([
      { subscriber: 'cid' },
      { subscriber: 'dot' },
    ])
  })

  it('checks the role, then existence, the checkpoint and the list', async () => {
    await monday('A', 'ann')
    expect(await stage.fails('stranger', 'cleanUnsubscribeList', zeroId)).toMatch(
      /^AccessControlUnauthorizedAccount\(stranger,/,
    )
    expect(await stage.fails('janitor', 'cleanUnsubscribeList', zeroId)).toBe('3')
    expect(await stage.fails('janitor', 'cleanUnsubscribeList', stage.id('A'))).toBe('22')
    await pin(stage.id('A'))
    expect(await stage.fails('janitor', 'cleanUnsubscribeList', stage.id('A'))).toBe('empty')
  })
})
