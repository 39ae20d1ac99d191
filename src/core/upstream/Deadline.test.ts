import { once } from 'node:events'
import { expect, it } from 'vitest'
import { Deadline } from './Deadline.ts'
import { untilAborted } from './untilAborted.ts'

it('ends many works with one signal, and Node warns of no leak', async () => {
  const warnings: Error[] = []
  const note = (warning: Error) => void warnings.push(warning)
  process.on('warning', note)
  const outer = new AbortController()
  const deadlines = Array.from({ length: 20 }, () => new Deadline(60_000, outer.signal))
  const waits = deadlines.map(({ signal }) => once(signal, 'abort'))
  const waiting = new AbortController()
  const works = Array.from({ length: 20 }, () => untilAborted(waiting.signal, new Promise(() => {})))
  outer.abort()
  waiting.abort(new Error('enough'))
  await Promise.all(waits)
  expect((await Promise.allSettled(works)).map(({ status }) => status)).toEqual(Array(20).fill('rejected'))
  for (const deadline of deadlines) deadline.drop()
  await new Promise((resolve) => setImmediate(resolve))
  process.off('warning', note)
  expect(warnings).toEqual([])
})
