import fc from 'fast-check'
import { expect, it } from 'vitest'
import { SlidingLog } from './SlidingLog.ts'

const contents = (log: SlidingLog) => Array.from({ length: log.size }, (_, place) => log.at(place))

it('behaves as a plain list while it grows, shrinks and wraps around', () => {
  const step = fc.oneof(
    { weight: 5, arbitrary: fc.record({ act: fc.constant('add' as const), by: fc.nat(3) }) },
    { weight: 2, arbitrary: fc.record({ act: fc.constant('drop' as const), by: fc.nat(40) }) },
    { weight: 2, arbitrary: fc.record({ act: fc.constant('remove' as const), by: fc.nat(40) }) },
  )
  fc.assert(
    fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
      const log = new SlidingLog()
      let plain: number[] = []
      let now = 0
      for (const { act, by } of steps) {
        if (act === 'add') {
          now += by
          log.add(now)
          plain.push(now)
        } else if (act === 'drop') {
          log.dropUntil(now - by)
          plain = plain.filter((time) => time > now - by)
        } else {
          log.remove(now - by)
          const place = plain.lastIndexOf(now - by)
          if (place !== -1) plain.splice(place, 1)
        }
        expect(contents(log)).toEqual(plain)
      }
    }),
  )
})
