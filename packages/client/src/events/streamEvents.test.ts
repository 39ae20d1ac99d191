import { recordedExamples } from '@remit/service/testing/surfaces/openapi/examples'
import { expect, it } from 'vitest'
import { createEvents } from './streamEvents.ts'

const EVENT = recordedExamples().events['subscription.created']
const frameOf = (sequence: number) => `id: ${sequence}\ndata: ${JSON.stringify({ ...EVENT, sequence })}\n\n`
const HEARTBEAT = 'id: 9\n\n'
const STREAM = [frameOf(7), frameOf(8), HEARTBEAT, frameOf(10)].join('')
const ALL = [7, 8, 10]

/** A service whose connections each send these pieces and then break off. */
function serviceOf(connections: readonly (readonly string[])[]) {
  const left = [...connections]
  const resumed: (string | null)[] = []
  const fetch = async (_: unknown, init?: RequestInit) => {
    resumed.push(new Headers(init?.headers).get('last-event-id'))
    const pieces = left.shift() ?? []
    const body = new ReadableStream({
      start(stream) {
        for (const piece of pieces) stream.enqueue(new TextEncoder().encode(piece))
        stream.close()
      },
    })
    return new Response(body, { headers: { 'content-type': 'text/event-stream' } })
  }
  const waits: number[] = []
  const sleep = async (ms: number) => void waits.push(ms)
  const surroundings = { now: Date.now, random: () => 0, sleep }
  return { resumed, waits, events: createEvents({ url: 'http://localhost', fetch }, surroundings) }
}

async function sequences(service: ReturnType<typeof serviceOf>, until: number): Promise<number[]> {
  const seen: number[] = []
  for await (const { sequence } of service.events.stream({ after: 6 })) {
    seen.push(sequence)
    if (sequence === until) break
  }
  return seen
}

it('misses no event and tells none twice, wherever the network cuts the stream', async () => {
  for (let cut = 1; cut < STREAM.length; cut += 1) {
    const service = serviceOf([[STREAM.slice(0, cut), STREAM.slice(cut)]])
    expect(await sequences(service, 10), `cut at ${cut}`).toEqual(ALL)
  }
})

it('goes on after the last event of which all came, wherever a connection breaks off', async () => {
  for (let cut = 1; cut < STREAM.length; cut += 1) {
    const whole = STREAM.slice(0, cut).split('\n\n').length - 1
    const place = [6, 7, 8, 9, 10][whole]
    const rest = [frameOf(7), frameOf(8), HEARTBEAT, frameOf(10)].slice(whole).join('')
    const service = serviceOf([[STREAM.slice(0, cut)], [rest]])
    expect(await sequences(service, 10), `broken off at ${cut}`).toEqual(ALL)
    if (cut < STREAM.length - 1) expect(service.resumed).toEqual(['6', String(place)])
  }
})

it('waits ever longer for a service that ends each connection at once', async () => {
  const service = serviceOf([['event: end\ndata: {}\n\n'], ['event: end\ndata: {}\n\n'], [STREAM]])
  expect(await sequences(service, 10)).toEqual(ALL)
  const [first = 0, second] = service.waits
  expect(first).toBeGreaterThan(0)
  expect(second).toBe(2 * first)
})
