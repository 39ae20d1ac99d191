import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { dayNumber, Stage, zeroId } from '../testing/Stage.ts'

let stage: Stage
beforeAll(async () => {
  stage = await Stage.open()
})
afterAll(() => stage.chain.stop())
beforeEach(() => stage.save())
afterEach(() => stage.restore())

const finished = `day ${dayNumber('2026-03-02')} finished`

async function monday(name: string, ...subscribers: string[]): Promise<void> {
  await stage.create(name, { frequency: 'WEEKLY', dueDay: 1 })
  await stage.subscribe(name, ...subscribers)
}

/** Only the id of this checkpoint matters here. It is not initialized, so remit does not start from it. */
async function pin(id: string): Promise<void> {
  const page = { id, subscriberIndex: 0, subscriptionIndex: 0, frequency: 0, initialized: false }
  await stage.does('admin', 'setPageStart', page)
}

async function listed(name: string, ...accounts: string[]): Promise<void> {
  await pin(stage.id(name))
  await stage.unsubscribe(name, ...accounts)
}

describe('unsubscribing from the checkpoint', () => {
  it('lists the account and leaves it in the set, with its log before the others', async () => {
    await monday('A', 'ann', 'ben')
    await pin(stage.id('A'))
    expect(await stage.does('ben', 'unsubscribe', stage.tuple('A'))).toEqual([
      'A UList ben',
      'A UNSUBSCRIBED ben 100',
      'A PROVREFUND ben 2',
      'contract -> provider 2 token18',
    ])
    expect(await stage.view('getUnsubscribedLength', stage.id('A'))).toBe('1')
    expect(await stage.view('getAccountSubscriptions', true, 'ann')).toMatchObject([
      { totalSubscribers: '2' },
    ])
  })

  it('lists by the provider too, and pays the balance back without a refund log', async () => {
    await monday('A', 'ann')
    await pin(stage.id('A'))
    expect(await stage.does('provider', 'unsubscribeByProvider', stage.tuple('A'), 'ann')).toEqual([
      'A UList ann',
      'A UNSUBSCRIBED ann 100',
      'contract -> ann 2 token18',
    ])
  })

  it('lists a stranger, who stays on the list', async () => {
    await monday('A', 'ann')
    await pin(stage.id('A'))
    expect(await stage.does('stranger', 'unsubscribe', stage.tuple('A'))).toEqual([
      'A UList stranger',
      'A UNSUBSCRIBED stranger 100',
      'A PROVREFUND stranger 0',
      'contract -> provider 0 token18',
    ])
    expect(await stage.fails('stranger', 'unsubscribe', stage.tuple('A'))).toBe('3')
    expect(await stage.view('getAccountSubscriptions', true, 'stranger')).toEqual([])
  })

  it('gives a listed account that re-subscribes its old place, and takes it off the list', async () => {
    await monday('A', 'ann', 'ben')
    await listed('A', 'ann')
    await pin(zeroId)
    await stage.subscribe('A', 'ann')
    expect(await stage.view('getUnsubscribedLength', stage.id('A'))).toBe('0')
    expect(await stage.view('getSubscribersById', stage.id('A'))).toMatchObject([
      { subscriber: 'ann' },
      { subscriber: 'ben' },
    ])
  })
})

describe('getSubscribersById with listed accounts', () => {
  it('answers where all unlisted accounts come first', async () => {
    await monday('A', 'ann', 'ben')
    await listed('A', 'ben')
    expect(await stage.view('getSubscribersById', stage.id('A'))).toMatchObject([{ subscriber: 'ann' }])
  })

  it('panics with 0x32 where a listed account precedes an unlisted one', async () => {
    await monday('A', 'ann', 'ben')
    await listed('A', 'ann')
    expect(await stage.view('getSubscribersById', stage.id('A'))).toEqual({ revert: 'Panic(50)' })
  })

  it('panics with 0x11 where the list is larger than the set', async () => {
    await monday('A')
    await listed('A', 'stranger')
    expect(await stage.view('getSubscribersById', stage.id('A'))).toEqual({ revert: 'Panic(17)' })
  })
})

describe('remit with listed accounts', () => {
  it('skips them without counting them', async () => {
    await monday('A', 'ann', 'ben', 'cid')
    await listed('A', 'cid')
    await stage.maxRemits(2)
    const logs = await stage.remit()
    expect(logs.filter((line) => line.includes(' at '))).toEqual(['A at 1:2 of WEEKLY', 'A at 1:1 of WEEKLY'])
    expect(logs.at(-1)).toBe(finished)
  })

  it('keeps the caller fee in the contract where the account at position 1 is listed', async () => {
    await monday('A', 'ann', 'ben')
    await listed('A', 'ann')
    const logs = await stage.remit()
    expect(Stage.transfers(logs)).toEqual(['ben -> contract 100 token18'])
    expect(await stage.feeBalance('A', 'ben')).toBe('100')
    // The contract took in 2 from the first charge and 100 from the second. Nobody can claim the caller's 2.
    expect(await stage.balance('token18', 'contract')).toBe('102')
  })

  it('pays no fee where strangers make as many listed as there are in the set', async () => {
    await monday('A', 'ann')
    await listed('A', 'stranger')
    const logs = await stage.remit()
    expect(logs).toEqual(['A at 1:1 of WEEKLY', 'A FEEFILL ann 100', 'ann -> contract 100 token18', finished])
  })

  it('panics with 0x11 where the list has outgrown the set, until the janitor takes it off', async () => {
    await monday('A', 'ann')
    await listed('A', 'stranger', 'eve')
    expect(await stage.fails('caller', 'remit')).toBe('Panic(17)')
    await pin(zeroId)
    await stage.does('janitor', 'cleanUnsubscribeList', stage.id('A'))
    expect((await stage.remit()).at(-1)).toBe(finished)
  })

  it('does not mind an outgrown list of a subscription that is cancelled or paused', async () => {
    await monday('A', 'ann')
    await listed('A', 'stranger', 'eve')
    await stage.does('admin', 'pauseToken', 'token18', true)
    expect(await stage.remit()).toEqual([finished])
  })

  it('counts a day on which everybody is listed as something, and pays nobody', async () => {
    await monday('A', 'ann', 'ben')
    await listed('A', 'ann', 'ben')
    expect(await stage.remit()).toEqual([finished])
    expect(await stage.due('WEEKLY', 1)).toBe('A')
  })
})
