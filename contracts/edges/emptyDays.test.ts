import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest'
import { dayNumber, Stage } from '../testing/Stage.ts'

let stage: Stage
beforeAll(async () => {
  stage = await Stage.open()
})
afterAll(() => stage.chain.stop())
beforeEach(() => stage.save())
afterEach(() => stage.restore())

/** One charge on 20 March, the 79th day of the year, after the given number of empty days. */
async function emptyDaysBefore20March(count: number): Promise<void> {
  await stage.create('A', { frequency: 'YEARLY', dueDay: 79 })
  await stage.subscribe('A', 'ann')
  stage.travel('2026-03-20')
  await stage.does('admin', 'setNextUncheckedDay', dayNumber('2026-03-20') - count)
}

it('walks empty days in one transaction up to a day that has something, and logs each', async () => {
  await emptyDaysBefore20March(2)
  const day = dayNumber('2026-03-20')
  const logs = await stage.remit()
  expect(logs.filter((line) => line.startsWith('day'))).toEqual([
    `day ${day - 2} finished`,
    `day ${day - 1} finished`,
    `day ${day} finished`,
  ])
  expect(await stage.view('nextUncheckedDay')).toBe(day + 1)
})

it('reverts as a whole where every day up to today is empty', async () => {
  stage.travel('2026-03-09')
  expect(await stage.fails('caller', 'remit')).toBe('6')
  await stage.does('admin', 'setNextUncheckedDay', dayNumber('2026-03-10'))
  expect(await stage.fails('caller', 'remit')).toBe('6')
})

it('walks 196 empty days, as the deployed protocol was seen to', async () => {
  await emptyDaysBefore20March(196)
  const { logs, gasUsed } = await stage.sends('caller', 'remit')
  expect(logs.filter((line) => line.endsWith('finished'))).toHaveLength(197)
  expect(gasUsed).toBeLessThan(5_000_000n)
})

it('stalls before too many empty days until the admin moves the first unchecked day', async () => {
  await emptyDaysBefore20March(260)
  expect(await stage.fails('caller', 'remit')).toMatch(/StackOverflow/)
  await stage.uncheckedFrom('2026-03-20')
  expect(await stage.remit()).toContain(`day ${dayNumber('2026-03-20')} finished`)
})

it('takes entries without subscribers off, and does not count them as something', async () => {
  await stage.create('A', { frequency: 'WEEKLY', dueDay: 1 })
  await stage.subscribe('A', 'ann')
  await stage.unsubscribe('A', 'ann')
  await stage.create('B', { frequency: 'WEEKLY', dueDay: 2 })
  await stage.subscribe('B', 'ann')
  stage.travel('2026-03-03')
  expect(await stage.due('WEEKLY', 1)).toBe('A')
  const days = (await stage.remit()).filter((line) => line.startsWith('day'))
  expect(days).toHaveLength(2)
  expect(await stage.due('WEEKLY', 1)).toBe('')
})

it('counts a day of cancelled subscriptions as something, and takes them off unpaid', async () => {
  await stage.create('A', { frequency: 'WEEKLY', dueDay: 1 })
  await stage.subscribe('A', 'ann')
  await stage.does('provider', 'cancelSubscription', stage.tuple('A'))
  expect(await stage.due('WEEKLY', 1)).toBe('A')
  expect(await stage.remit()).toEqual([`day ${dayNumber('2026-03-02')} finished`])
  expect(await stage.due('WEEKLY', 1)).toBe('')
})

it('takes a cancelled subscription off although its token is paused', async () => {
  await stage.create('A', { frequency: 'WEEKLY', dueDay: 1 })
  await stage.subscribe('A', 'ann')
  await stage.does('provider', 'cancelSubscription', stage.tuple('A'))
  await stage.does('admin', 'pauseToken', 'token18', true)
  await stage.remit()
  expect(await stage.due('WEEKLY', 1)).toBe('')
})

it('counts a day of paused subscriptions as something, keeps them listed, and the period is lost', async () => {
  await stage.create('A', { frequency: 'WEEKLY', dueDay: 1 })
  await stage.subscribe('A', 'ann')
  await stage.does('admin', 'pauseToken', 'token18', true)
  expect(await stage.remit()).toEqual([`day ${dayNumber('2026-03-02')} finished`])
  expect(await stage.due('WEEKLY', 1)).toBe('A')
  await stage.does('admin', 'pauseToken', 'token18', false)
  expect(await stage.fails('caller', 'remit')).toBe('6')
})

it('finishes at most one day that has something', async () => {
  await stage.create('A', { frequency: 'WEEKLY', dueDay: 1 })
  await stage.create('B', { frequency: 'WEEKLY', dueDay: 2 })
  await stage.subscribe('A', 'ann')
  await stage.subscribe('B', 'ann')
  stage.travel('2026-03-03')
  expect((await stage.remit()).filter((line) => line.startsWith('day'))).toHaveLength(1)
  expect((await stage.remit()).filter((line) => line.startsWith('day'))).toHaveLength(1)
  expect(await stage.fails('caller', 'remit')).toBe('6')
})
