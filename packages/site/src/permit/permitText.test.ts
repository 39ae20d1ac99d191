import { describe, expect, it } from 'vitest'
import { readPermit, writePermit } from './permitText.ts'

const PERMIT = {
  chainId: 8453,
  token: '0x00000000000000000000000000000000000000aa',
  owner: '0x00000000000000000000000000000000000000bb',
  value: '120000000',
  deadline: 1_773_662_400,
  signature: `0x${'ab'.repeat(65)}`,
} as const

const written = (permit: unknown) => writePermit(permit as typeof PERMIT)

describe('a signed permission in a link', () => {
  it('is read as it was written, in characters that a link keeps', () => {
    const text = writePermit(PERMIT)
    expect(text).toMatch(/^[\w-]+$/)
    expect(readPermit(text)).toEqual(PERMIT)
    const { value: _, ...rest } = PERMIT
    expect(readPermit(written({ ...rest, allowed: true }))).toEqual({ ...rest, allowed: true })
  })

  it('takes nothing along that is no part of it', () => {
    expect(
      readPermit(written({ ...PERMIT, from: PERMIT.owner, __proto__: { spender: PERMIT.owner } })),
    ).toEqual(PERMIT)
  })

  it.each<[what: string, text: string]>([
    ['is empty', ''],
    ['is no base64', '%%%'],
    ['is no JSON', btoa('{')],
    ['is null', btoa('null')],
    ['is a list', btoa('[]')],
    ['was cut', writePermit(PERMIT).slice(0, -20)],
    ['is huge', written({ ...PERMIT, signature: `0x${'ab'.repeat(20_000)}` })],
    ['has another owner’s form', written({ ...PERMIT, owner: 'alice.eth' })],
    ['has a number as its amount', written({ ...PERMIT, value: 1 })],
    ['has a negative amount', written({ ...PERMIT, value: '-1' })],
    ['has no amount', written({ ...PERMIT, value: undefined })],
    ['says two things', written({ ...PERMIT, allowed: true })],
    ['has a chain that is no number', written({ ...PERMIT, chainId: '8453' })],
    ['has a day that is none', written({ ...PERMIT, deadline: 1.5 })],
    ['has no signature', written({ ...PERMIT, signature: '0x' })],
  ])('is none where it %s', (_what, text) => {
    expect(readPermit(text)).toBeUndefined()
  })
})
