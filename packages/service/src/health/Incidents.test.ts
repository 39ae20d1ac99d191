import { expect, it } from 'vitest'
import type { Trouble } from '../ports/service.ts'
import { Incidents } from './Incidents.ts'

const node: Trouble = { part: 'node', chainId: 8453, message: 'No node of the chain answers.' }
const webhooks: Trouble = { part: 'webhooks', chainId: null, message: 'Events have waited for 61 s.' }

/** Incidents over troubles that the test sets, looked at every five seconds of its clock. */
function watched() {
  let now = 1_800_000_000
  let troubles: readonly Trouble[] = []
  const incidents = new Incidents(
    () => troubles,
    () => now * 1000,
  )
  return {
    incidents,
    pass(seconds: number, current: readonly Trouble[]) {
      troubles = current
      for (const end = now + seconds; now < end; ) {
        now += 5
        incidents.look()
      }
    },
    at: (seconds: number) => 1_800_000_000 + seconds,
  }
}

it('tells when each trouble began and ended, the newest first', () => {
  const { incidents, pass, at } = watched()
  pass(20, [node])
  expect(incidents.recent(10)).toEqual([{ ...node, startedAt: at(5), endedAt: null }])
  pass(10, [])
  pass(10, [webhooks])
  expect(incidents.recent(10)).toEqual([
    { ...webhooks, startedAt: at(35), endedAt: null },
    { ...node, startedAt: at(5), endedAt: at(25) },
  ])
})

it('says what an incident says now, and takes what returns within a minute for the same one', () => {
  const { incidents, pass, at } = watched()
  pass(10, [webhooks])
  pass(30, [])
  pass(10, [{ ...webhooks, message: 'Events have waited for 90 s.' }])
  expect(incidents.recent(10)).toEqual([
    { ...webhooks, message: 'Events have waited for 90 s.', startedAt: at(5), endedAt: null },
  ])
  pass(120, [])
  pass(10, [webhooks])
  expect(incidents.recent(10)).toHaveLength(2)
})

it('leaves out what was gone at the next look', () => {
  const { incidents, pass } = watched()
  pass(5, [node])
  pass(5, [])
  expect(incidents.recent(10)).toEqual([])
})

it('keeps the last fifty', () => {
  const { incidents, pass, at } = watched()
  for (let count = 0; count < 60; count += 1) {
    pass(10, [node])
    pass(90, [])
  }
  expect(incidents.recent(100)).toHaveLength(50)
  expect(incidents.recent(1)[0]?.startedAt).toBe(at(5_905))
})
