import type { EventQuery, LoggedEvent } from '@remit/engine/ports/events'
import { subscriptionId } from '@remit/testing/support/webhooks/InventedLog'
import type { Hex } from 'viem'
import { expect, it } from 'vitest'
import type { Listener } from './Listeners.ts'
import { type CursorRead, planRows, type RowPlanInput } from './planRows.ts'
import { RecentLog } from './Router.ts'
import { readCursors } from './readCursors.ts'
import { MAIN_QUEUE, SINCE_QUEUE } from './rows.ts'

const [A, B] = [subscriptionId(1), subscriptionId(2)]
const queueA = `1 ${A}`

const event = (sequence: number, subscription = A): LoggedEvent => ({
  id: `evt_${sequence}`,
  type: 'subscription.cancelled',
  chainId: 1,
  sequence,
  block: { number: sequence, hash: '0x', timestamp: 1_000 + sequence },
  logIndex: null,
  transactionHash: null,
  finality: 'seen',
  subject: { subscriptionId: subscription, provider: null, account: null, token: null },
  facts: {},
})

const retraction = (sequence: number, ids: string[]): LoggedEvent => ({
  ...event(sequence),
  type: 'retracted',
  facts: { ids, types: ['subscription.cancelled'], reached: 'seen' },
})

const cursorAt = (queue: string, sequence: number) => ({
  endpoint_id: 'wh',
  chain_id: 1,
  queue,
  sequence,
  until_sequence: null,
})

function reading(queue: string, sequence: number, events: readonly LoggedEvent[], until: number): CursorRead {
  return { cursor: cursorAt(queue, sequence), events, next: until, until, hasMore: false, isKnown: true }
}

function fedBy(readings: readonly CursorRead[], more: Partial<RowPlanInput> = {}) {
  const cursors = readings.map((one) => one.cursor)
  const { newRows, moved, ended } = planRows({
    ...{ cursors, readings, waiting: new Set(), alreadySent: new Set(), most: 20 },
    ...more,
  })
  const places = (rows: typeof moved) => rows.map(({ queue, sequence }) => [queue, sequence])
  return { fed: newRows.map((row) => row.event.sequence), moved: places(moved), ended: places(ended) }
}

/** An endpoint that hears all. */
const ALL: Listener = {
  ...{ id: 'wh', chain_id: null, subscription_id: null, provider: null, account: null, types: null },
  ...{ created_at: 0, version: 1, finality: 'seen', begins: {} },
}

const of = (subscription: Hex, ...sequences: number[]) => sequences.map((one) => event(one, subscription))

it('gives what is new rows, and ends the main cursor at the end of the log', () => {
  expect(fedBy([reading(MAIN_QUEUE, 0, of(A, 1, 2), 9)])).toEqual({
    fed: [1, 2],
    moved: [],
    ended: [[MAIN_QUEUE, 9]],
  })
})

it('leaves a cursor of its own where a queue has more than a few, and goes on with the others', () => {
  const events = [...of(A, 1, 2, 3, 4, 5, 6, 7), ...of(B, 8)]
  const expected = { fed: [1, 2, 3, 4, 5, 8], moved: [[queueA, 5]], ended: [[MAIN_QUEUE, 9]] }
  expect(fedBy([reading(MAIN_QUEUE, 0, events, 9)])).toEqual(expected)
})

it('gives a queue no rows while others of it wait', () => {
  const waiting = new Set([queueA])
  const expected = { fed: [3], moved: [[queueA, 1]], ended: [[MAIN_QUEUE, 9]] }
  expect(fedBy([reading(MAIN_QUEUE, 0, [...of(A, 2), ...of(B, 3), ...of(A, 4)], 9)], { waiting })).toEqual(
    expected,
  )
})

it('stops where there are enough, and begins no cursor beyond', () => {
  const events = [...of(B, 1), ...of(A, 2, 3)]
  const expected = { fed: [1], moved: [[MAIN_QUEUE, 1]], ended: [] }
  expect(fedBy([reading(MAIN_QUEUE, 0, events, 9)], { most: 1 })).toEqual(expected)
})

it('ends a cursor only when nothing of it is left, and then the main cursor goes on with its queue', () => {
  const main = reading(MAIN_QUEUE, 5, of(A, 6), 9)
  const left = fedBy([reading(queueA, 3, of(A, 4), 5), main])
  expect(left).toEqual({ fed: [4], moved: [[queueA, 5]], ended: [[MAIN_QUEUE, 9]] })
  const over = fedBy([reading(queueA, 5, [], 5), main])
  expect(over.fed).toEqual([6])
  expect(over.ended).toEqual([
    [queueA, 5],
    [MAIN_QUEUE, 9],
  ])
})

it('tells of a retraction only who may have heard what it takes back', () => {
  const both = [...of(A, 1), retraction(2, ['evt_1'])]
  expect(fedBy([reading(MAIN_QUEUE, 0, both, 9)]).fed).toEqual([1, 2])
  expect(fedBy([reading(MAIN_QUEUE, 1, both.slice(1), 9)]).fed).toEqual([])
  expect(fedBy([reading(MAIN_QUEUE, 1, both.slice(1), 9)], { alreadySent: new Set(['evt_1']) }).fed).toEqual([
    2,
  ])
})

it('gives once more only what has had its row in its order', () => {
  const since = { ...reading(SINCE_QUEUE, 0, of(A, 1, 4), 9), cursor: { ...cursorAt(SINCE_QUEUE, 0) } }
  expect(fedBy([since, reading(MAIN_QUEUE, 3, [], 3)]).fed).toEqual([1])
})

it.each([
  ['the main cursor, where there is one', [cursorAt(MAIN_QUEUE, 3)], 3],
  ['the router, where all is told', [], 7],
])('reads what is wanted once more as far as %s', async (_, mains, until) => {
  const since = { ...cursorAt(SINCE_QUEUE, 0), until_sequence: 9 }
  const log = {
    read: (_chainId: number, { after }: EventQuery) => {
      const events = of(A, 1, 3, 4, 7, 8).filter(({ sequence }) => sequence > after)
      return Promise.resolve({ events, next: 9, hasMore: false })
    },
  }
  const owner = { listener: ALL, cursors: [since, ...mains], waiting: new Set<string>() }
  const routes = [{ chain_id: 1, finality: 'seen', sequence: 7, version: 1 }]
  const onUnreadable = (_chainId: number, error: unknown) => expect.fail(String(error))
  const readings = await readCursors({ events: log, recent: new RecentLog(log), routes, onUnreadable }, [
    owner,
  ])
  expect(readings.get(since)).toMatchObject({ until, next: until })
  expect(readings.get(since)?.events.map(({ sequence }) => sequence)).toEqual(
    [1, 3, 4, 7].filter((one) => one <= until),
  )
})

it('gives a retraction once more only to who may have heard what it takes back', () => {
  const since = (...events: readonly LoggedEvent[]) => reading(SINCE_QUEUE, 0, events, 9)
  const main = reading(MAIN_QUEUE, 9, [], 9)
  expect(fedBy([since(retraction(2, ['evt_1'])), main]).fed).toEqual([])
  expect(fedBy([since(retraction(2, ['evt_1'])), main], { alreadySent: new Set(['evt_1']) }).fed).toEqual([2])
  expect(fedBy([since(event(1), retraction(2, ['evt_1'])), main]).fed).toEqual([1, 2])
})

it('lets an endpoint that the router does not know yet read for itself', () => {
  expect(fedBy([{ ...reading(MAIN_QUEUE, 3, [], 3), isKnown: false }])).toEqual({
    fed: [],
    moved: [],
    ended: [],
  })
})

it('holds a main cursor for the late queues of its own chain alone', () => {
  const late = (chainId: number) =>
    new Set(Array.from({ length: 1_000 }, (_, place) => `${chainId} ${place}`))
  const main = reading(MAIN_QUEUE, 0, of(A, 1), 9)
  expect(fedBy([main], { waiting: late(2) }).fed).toEqual([1])
  expect(fedBy([main], { waiting: late(1) }).fed).toEqual([])
})
