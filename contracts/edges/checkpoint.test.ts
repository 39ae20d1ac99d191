import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { dayNumber, Stage } from '../testing/Stage.ts'

let stage: Stage
beforeAll(async () => {
  stage = await Stage.open()
})
afterAll(() => stage.chain.stop())
beforeEach(() => stage.save())
afterEach(() => stage.restore())

const today = dayNumber('2026-03-02')

/** Which positions a remit processed, as subscription position : subscriber position. */
const visited = (logs: string[]) =>
  logs.filter((line) => line.includes(' at ')).map((line) => line.replace(/ of .*/, ''))

async function monday(name: string, ...subscribers: string[]): Promise<void> {
  await stage.create(name, { frequency: 'WEEKLY', dueDay: 1 })
  await stage.subscribe(name, ...subscribers)
}

async function second(name: string, ...subscribers: string[]): Promise<void> {
  await stage.create(name, { frequency: 'MONTHLY', dueDay: 2 })
  await stage.subscribe(name, ...subscribers)
}

const pageStart = (name: string, position: Partial<{ s: number; u: number; f: number; on: boolean }>) => ({
  id: stage.id(name),
  subscriberIndex: position.u ?? 1,
  subscriptionIndex: position.s ?? 1,
  frequency: position.f ?? 0,
  initialized: position.on ?? true,
})

describe('breaking off', () => {
  it('stores the position that was not processed any more and keeps the day', async () => {
    await monday('A', 'ann', 'ben', 'cid')
    await stage.maxRemits(2)
    const first = await stage.remit()
    expect(visited(first)).toEqual(['A at 1:3', 'A at 1:2'])
    expect(first.at(-1)).toBe(`day ${today} broken off`)
    expect(await stage.view('nextUncheckedDay')).toBe(today)

    const rest = await stage.remit()
    expect(visited(rest)).toEqual(['A at 1:1'])
    expect(rest.at(-1)).toBe(`day ${today} finished`)
  })

  it('pays the caller for its own page only', async () => {
    await monday('A', 'ann', 'ben', 'cid')
    await stage.maxRemits(2)
    expect(Stage.transfers(await stage.remit()).at(-1)).toBe('contract -> caller 4 token18')
    expect(Stage.transfers(await stage.remit()).at(-1)).toBe('contract -> caller 2 token18')
  })

  it('finishes the day where the last subscriber is also the last that fits', async () => {
    await monday('A', 'ann', 'ben')
    await stage.maxRemits(2)
    expect((await stage.remit()).at(-1)).toBe(`day ${today} finished`)
  })

  it('pays nothing in the token of a subscription whose topmost subscriber does not fit any more', async () => {
    await monday('A', 'ann')
    await stage.create('B', { frequency: 'WEEKLY', dueDay: 1, token: 'token6' })
    await stage.subscribe('B', 'ben')
    await stage.maxRemits(1)
    const logs = await stage.remit()
    expect(Stage.transfers(logs)).toEqual([
      'ben -> contract 100 token6',
      'contract -> caller 2 token6',
      'contract -> caller 0 token18',
    ])
    expect(logs.at(-1)).toBe(`day ${today} broken off`)
  })

  it('overwrites the checkpoint with each break, and the end of the day deletes it', async () => {
    await monday('A', 'ann', 'ben', 'cid')
    await stage.maxRemits(1)
    await stage.remit()
    expect(visited(await stage.remit())).toEqual(['A at 1:2'])
    expect(await stage.fails('dot', 'subscribe', stage.tuple('A'))).toBe('24')
    expect(visited(await stage.remit())).toEqual(['A at 1:1'])
    expect(await stage.fails('dot', 'subscribe', stage.tuple('A'))).toBe('succeeds')
  })

  it('breaks at the first position each time where maxRemits is 0', async () => {
    await monday('A', 'ann', 'ben')
    await stage.maxRemits(0)
    const page = ['contract -> caller 0 token18', `day ${today} broken off`]
    expect(await stage.remit()).toEqual(page)
    expect(await stage.remit()).toEqual(page)
    await stage.maxRemits(5)
    expect(visited(await stage.remit())).toEqual(['A at 1:2', 'A at 1:1'])
  })

  it('tests the limit before it looks whether the account is listed, so a listed one can be the checkpoint', async () => {
    await monday('A', 'ann', 'ben', 'cid')
    await stage.does('admin', 'setPageStart', pageStart('A', { on: false }))
    await stage.unsubscribe('A', 'ben')
    await stage.maxRemits(1)
    expect(visited(await stage.remit())).toEqual(['A at 1:3'])
    // The page ended at ben's position. The next page skips that position and does not count it.
    const rest = await stage.remit()
    expect(visited(rest)).toEqual(['A at 1:1'])
    expect(rest.at(-1)).toBe(`day ${today} finished`)
  })
})

describe('going on', () => {
  it('applies the position to the later frequencies of the day, which skips what stands above it for good', async () => {
    await monday('A', 'ann', 'ben')
    await second('B', 'cid')
    await second('C', 'cid')
    await stage.maxRemits(1)
    await stage.remit()
    await stage.maxRemits(9)
    const rest = await stage.remit()
    expect(visited(rest)).toEqual(['A at 1:1', 'B at 1:1'])
    expect(rest.at(-1)).toBe(`day ${today} finished`)
  })

  it('does not walk earlier frequencies again', async () => {
    await monday('A', 'ann')
    await second('B', 'ann', 'ben')
    await stage.maxRemits(2)
    await stage.remit()
    expect(visited(await stage.remit())).toEqual(['B at 1:1'])
  })

  it('passes over a subscription that was listed between two pages', async () => {
    await monday('A', 'ann', 'ben')
    await stage.maxRemits(1)
    await stage.remit()
    await monday('B', 'cid')
    const rest = await stage.remit()
    expect(visited(rest)).toEqual(['A at 1:1'])
    expect(rest.at(-1)).toBe(`day ${today} finished`)
  })

  it.each(['cancelled', 'paused'])('clears itself where the checkpoint is %s meanwhile', async (why) => {
    await stage.create('A', { frequency: 'WEEKLY', dueDay: 1, token: 'token6' })
    await monday('B', 'ann')
    await stage.subscribe('A', 'ann', 'ben')
    await second('C', 'cid')
    await second('D', 'cid')
    // The due list is in the order of first subscribers: B, A.
    await stage.maxRemits(1)
    expect(visited(await stage.remit())).toEqual(['A at 2:2'])
    if (why === 'cancelled') await stage.does('provider', 'cancelSubscription', stage.tuple('A'))
    else await stage.does('admin', 'pauseToken', 'token6', true)
    await stage.maxRemits(9)
    expect(visited(await stage.remit())).toEqual(['B at 1:1', 'D at 2:1', 'C at 1:1'])
  })

  it('walks the rest of the day without paying where the checkpoint is never met', async () => {
    await monday('A', 'ann', 'ben')
    await second('B', 'cid')
    await stage.does('admin', 'setPageStart', pageStart('A', { s: 9, u: 9 }))
    expect(await stage.remit()).toEqual([`day ${today} finished`])
    expect(await stage.fails('caller', 'remit')).toBe('6')
  })

  it('reverts and keeps the checkpoint where nothing else visited today has subscribers', async () => {
    await monday('A', 'ann', 'ben')
    await stage.maxRemits(1)
    await stage.remit()
    await stage.does('admin', 'setPageStart', pageStart('A', { s: 0 }))
    expect(await stage.fails('caller', 'remit')).toBe('6')
    expect(await stage.fails('dot', 'subscribe', stage.tuple('A'))).toBe('24')
  })

  it('neither counts nor takes off what the checkpoint skips', async () => {
    await monday('A', 'ann')
    await monday('B', 'ben')
    await stage.unsubscribe('B', 'ben')
    await stage.does('admin', 'setPageStart', pageStart('A', { s: 1, u: 1 }))
    expect(visited(await stage.remit())).toEqual(['A at 1:1'])
    expect(await stage.due('WEEKLY', 1)).toBe('A B')
  })
})

describe('subscribing while a subscription is the checkpoint', () => {
  it('is refused, also by a checkpoint that is not initialized', async () => {
    await monday('A', 'ann')
    await stage.does('admin', 'setPageStart', pageStart('A', { on: false }))
    expect(await stage.fails('ben', 'subscribe', stage.tuple('A'))).toBe('24')
    // This check comes after the token's and before the allowance's.
    await stage.token('token18', 'ben', 'approve', 'contract', '0')
    expect(await stage.fails('ben', 'subscribe', stage.tuple('A'))).toBe('24')
    await stage.does('admin', 'pauseToken', 'token18', true)
    expect(await stage.fails('ben', 'subscribe', stage.tuple('A'))).toBe('20')
  })

  it('does not keep a remit from walking the whole day where the checkpoint is not initialized', async () => {
    await monday('A', 'ann')
    await monday('B', 'ben')
    await stage.does('admin', 'setPageStart', pageStart('A', { s: 0, f: 3, on: false }))
    expect(visited(await stage.remit())).toEqual(['B at 2:1', 'A at 1:1'])
  })
})
