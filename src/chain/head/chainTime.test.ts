import { describe, expect, it } from 'vitest'
import { chainTime } from './chainTime.ts'

const HEAD = { timestamp: 1_000_000, seenAt: 50_000 }

/** @param seconds since the head was first seen */
const timeAfter = (seconds: number, { wall = HEAD.timestamp + seconds } = {}) =>
  chainTime(HEAD, { steadyMs: HEAD.seenAt + seconds * 1_000, wallMs: wall * 1_000 })

describe('the chain’s clock', () => {
  it('is the head’s time and what has passed since the head was first seen, in whole seconds', () => {
    expect(timeAfter(2)).toBe(HEAD.timestamp + 2)
    expect(timeAfter(7.9)).toBe(HEAD.timestamp + 7)
    expect(timeAfter(3_600)).toBe(HEAD.timestamp + 3_600)
  })

  it('is later than the head, because the next block will be', () => {
    expect(timeAfter(0)).toBe(HEAD.timestamp + 1)
  })

  it('is the process’s clock if the head is over an hour old', () => {
    expect(timeAfter(5, { wall: HEAD.timestamp + 3_600 })).toBe(HEAD.timestamp + 5)
    expect(timeAfter(5, { wall: HEAD.timestamp + 3_601 })).toBe(HEAD.timestamp + 3_601)
    expect(timeAfter(0, { wall: HEAD.timestamp + 9 * 86_400 })).toBe(HEAD.timestamp + 9 * 86_400)
  })

  it('continues from a head in the future, as on a development chain whose clock was advanced', () => {
    expect(timeAfter(90, { wall: HEAD.timestamp - 5 * 86_400 })).toBe(HEAD.timestamp + 90)
  })

  it('does not go back when the process’s clock takes over from a head in the future', () => {
    expect(timeAfter(4_000, { wall: HEAD.timestamp + 3_700 })).toBe(HEAD.timestamp + 4_000)
  })
})
