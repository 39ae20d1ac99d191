import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest'
import { z } from 'zod'
import { Stage, zeroId } from '../testing/Stage.ts'

let stage: Stage
beforeAll(async () => {
  stage = await Stage.open()
})
afterAll(() => stage.chain.stop())
beforeEach(() => stage.save())
afterEach(() => stage.restore())

async function monday(name: string, ...subscribers: string[]): Promise<void> {
  await stage.create(name, { frequency: 'WEEKLY', dueDay: 1 })
  await stage.subscribe(name, ...subscribers)
}

const subscribers = async (name: string) =>
  z
    .array(z.object({ subscriber: z.string() }))
    .parse(await stage.view('getSubscribersById', stage.id(name)))
    .map(({ subscriber }) => subscriber)

it('lists a subscription as due with its first subscriber', async () => {
  await monday('A')
  await monday('B', 'ann')
  expect(await stage.due('WEEKLY', 1)).toBe('B')
  await stage.subscribe('A', 'ann')
  expect(await stage.due('WEEKLY', 1)).toBe('B A')
})

it('keeps the place of a subscription that got a subscriber again before a remit met it empty', async () => {
  await monday('A', 'ann')
  await monday('B', 'ann')
  await stage.unsubscribe('A', 'ann')
  await stage.subscribe('A', 'ben')
  expect(await stage.due('WEEKLY', 1)).toBe('A B')
})

it('gives a subscription that a remit met empty the last place when somebody returns', async () => {
  await monday('A', 'ann')
  await monday('B', 'ann')
  await monday('C', 'ann')
  await stage.unsubscribe('A', 'ann')
  await stage.remit()
  // The last of the list has taken its place.
  expect(await stage.due('WEEKLY', 1)).toBe('C B')
  await stage.subscribe('A', 'ann')
  expect(await stage.due('WEEKLY', 1)).toBe('C B A')
})

it('does not list a subscription again whose set listed accounts kept from being empty', async () => {
  await monday('A', 'ann')
  const page = {
    id: stage.id('A'),
    subscriberIndex: 0,
    subscriptionIndex: 0,
    frequency: 0,
    initialized: false,
  }
  await stage.does('admin', 'setPageStart', page)
  await stage.unsubscribe('A', 'ann')
  await stage.does('admin', 'setPageStart', { ...page, id: zeroId })
  await stage.subscribe('A', 'ben')
  expect(await stage.due('WEEKLY', 1)).toBe('A')
  expect(await stage.view('getSubscribersById', stage.id('A'))).toEqual({ revert: 'Panic(50)' })
})

it('moves the last subscriber into the place of one that leaves, and one that returns to the end', async () => {
  await monday('A', 'ann', 'ben', 'cid')
  await stage.unsubscribe('A', 'ann')
  expect(await subscribers('A')).toEqual(['cid', 'ben'])
  await stage.subscribe('A', 'ann')
  expect(await subscribers('A')).toEqual(['cid', 'ben', 'ann'])
})

it('keeps what an account ever subscribed to, in the order in which it first did', async () => {
  await monday('A', 'ann')
  await monday('B', 'ann')
  await stage.unsubscribe('A', 'ann')
  await stage.subscribe('A', 'ann')
  expect(await stage.view('getAccountSubscriptions', true, 'ann')).toMatchObject([
    { subscription: { id: stage.id('A') }, status: 0 },
    { subscription: { id: stage.id('B') }, status: 0 },
  ])
})

it('counts accounts that ever created or subscribed, and never fewer', async () => {
  await monday('A', 'ann')
  expect(await stage.view('getTotalSubscribers')).toBe('2')
  await stage.unsubscribe('A', 'ann')
  await stage.does('stranger', 'unsubscribe', stage.tuple('A'))
  expect(await stage.view('getTotalSubscribers')).toBe('2')
  await stage.create('B', { frequency: 'WEEKLY', dueDay: 1, provider: 'ann' })
  expect(await stage.view('getTotalSubscribers')).toBe('2')
  await stage.subscribe('A', 'ben')
  expect(await stage.view('getTotalSubscribers')).toBe('3')
})

it('reads zeros for what it does not know, and echoes an account', async () => {
  expect(await stage.view('idSubMap', zeroId)).toEqual([zeroId, '0', 'zero', 'zero', false, 0, 0])
  expect(await stage.view('approvedERC20', 'stranger')).toEqual(['zero', 0, false, '0'])
  expect(await stage.view('getSubscribersById', zeroId)).toEqual([])
  expect(await stage.view('getIdByTime', 9, 1)).toEqual([])
  expect(await stage.view('getAccount', 'stranger')).toEqual({
    accountAddress: 'stranger',
    subscriptions: [],
    provSubs: [],
  })
})
