import type { LogState } from '@remit/engine/ports/events'
import { describe, expect, it } from 'vitest'
import { EventTail, type SentEvent, type SentPage } from './EventTail.ts'
import { type EventStreamOptions, eventStream } from './eventStream.ts'

const ALICE = `0x${'a1'.repeat(20)}`

function eventAt(sequence: number, account = ALICE): SentEvent {
  return {
    type: 'payment.succeeded',
    sequence,
    subject: { subscriptionId: null, provider: null, account },
    data: {},
  }
}

/** A log in memory, and a stream at its end. */
function streamOver(first: readonly SentEvent[], options: Partial<EventStreamOptions> = {}) {
  const events = [...first]
  let isOpen = true
  let news = () => {}
  const state = (): LogState => ({ sequence: events.length, blockNumber: 0, finalizedBlock: 0 })
  const read = async (after: number): Promise<SentPage> => {
    const page = events.filter(({ sequence }) => sequence > after).slice(0, 100)
    const next = page.at(-1)?.sequence ?? Math.max(after, events.length)
    return { events: page, next, hasMore: next < events.length }
  }
  const tail = new EventTail({
    chainId: 1,
    end: async () => events.length,
    read,
    log: {
      state: async () => state(),
      waitFor: async (_chainId, seen, signal) => {
        while (isOpen && !signal.aborted && seen?.sequence === events.length) {
          await new Promise<void>((resolve) => {
            news = resolve
            signal.addEventListener('abort', () => resolve(), { once: true })
          })
        }
        return isOpen
      },
    },
  })
  let ends = 0
  const stream = eventStream({
    tail,
    after: events.length,
    filters: {},
    read,
    isAllowed: async () => true,
    onEnd: () => {
      ends += 1
    },
    ...options,
  })
  const reader = stream.getReader()
  const decoder = new TextDecoder()
  return {
    reader,
    ends: () => ends,
    add(...more: SentEvent[]) {
      events.push(...more)
      news()
    },
    shutDown() {
      isOpen = false
      news()
    },
    async next() {
      const { value, done } = await reader.read()
      return done ? undefined : decoder.decode(value)
    },
  }
}

describe('a stream of server-sent events', () => {
  it('begins with where it is, and sends each event with its sequence as its id', async () => {
    const { next, add } = streamOver([eventAt(1)])
    expect(await next()).toBe('retry: 2000\nid: 1\n\n')
    add(eventAt(2), eventAt(3))
    expect(await next()).toBe(
      `id: 2\ndata: ${JSON.stringify(eventAt(2))}\n\nid: 3\ndata: ${JSON.stringify(eventAt(3))}\n\n`,
    )
  })

  it('goes on without a hole where it is behind what is kept in memory', async () => {
    const { next } = streamOver(
      Array.from({ length: 250 }, (_, index) => eventAt(index + 1)),
      { after: 7 },
    )
    let text = (await next()) ?? ''
    while (!text.includes('id: 250\n')) text += await next()
    expect(text.match(/^id: \d+$/gm)).toEqual(Array.from({ length: 244 }, (_, index) => `id: ${index + 7}`))
  })

  it('leaves out what was not asked for, and names the place that it has reached meanwhile', async () => {
    const { next, add } = streamOver([], { filters: { account: ALICE }, times: { heartbeatMs: 20 } })
    await next()
    add(eventAt(1, `0x${'b0'.repeat(20)}`))
    let text = await next()
    while (!text?.includes('id: 1')) text = await next()
    expect(text).toBe(': still here\nid: 1\n\n')
  })

  it.each([
    ['hour', { times: { longestMs: 0 } }],
    ['credentials', { times: { heartbeatMs: 5 }, isAllowed: async () => false }],
  ] as const)('ends with where to go on: %s', async (reason, options) => {
    const { next, ends } = streamOver([eventAt(1)], options)
    await next()
    expect(await next()).toBe(`id: 1\nevent: end\ndata: {"reason":"${reason}","after":1}\n\n`)
    expect(await next()).toBeUndefined()
    expect(ends()).toBe(1)
  })

  it('shows that it stands, and that its caller may still hear, however much comes of which nothing is wanted', async () => {
    let allowed = 2
    const { next, add, ends } = streamOver([], {
      filters: { account: ALICE },
      times: { heartbeatMs: 60 },
      isAllowed: async () => --allowed >= 0,
    })
    let sequence = 0
    const busy = setInterval(() => add(eventAt(++sequence, `0x${'b0'.repeat(20)}`)), 25)
    await next()
    expect(await next()).toMatch(/^: still here\nid: \d+\n\n$/)
    expect(await next()).toMatch(/^: still here\nid: \d+\n\n$/)
    expect(await next()).toContain('"reason":"credentials"')
    clearInterval(busy)
    expect(ends()).toBe(1)
  })

  it('ends with where to go on when the service shuts down', async () => {
    const { next, shutDown } = streamOver([eventAt(1)])
    await next()
    setTimeout(shutDown, 5)
    expect(await next()).toContain('{"reason":"shutdown","after":1}')
  })

  it('closes a reader that takes nothing, with where to go on', async () => {
    const { next, add, ends } = streamOver([], { times: { slowMs: 20 } })
    await next()
    add(eventAt(1))
    await next()
    add(eventAt(2))
    await new Promise((resolve) => setTimeout(resolve, 60))
    expect(ends()).toBe(1)
    expect(await next()).toContain('{"reason":"slow","after":1}')
  })

  it('leaves the tail when the caller goes', async () => {
    const { reader, ends } = streamOver([])
    await reader.cancel()
    await new Promise((resolve) => setTimeout(resolve, 5))
    expect(ends()).toBe(1)
  })
})
