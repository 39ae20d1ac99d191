import { expect, it } from 'vitest'
import { describeCause } from './responses.ts'

it('tells an error with what caused it, and where', () => {
  const cause = new Error('outer', { cause: new TypeError('inner') })
  expect(describeCause(cause)).toMatch(/^Error: outer\n\s+at [\s\S]*\nCaused by: TypeError: inner\n\s+at /)
  expect(describeCause('a word')).toBe('a word')
  expect(describeCause(undefined)).toBeUndefined()
})

it.each([
  'https://rpc.example/v2/key?apikey=key',
  'wss://user:key@rpc.example',
  'postgres://remit:key@db.example/remit',
  'postgresql://remit:key@db.example/remit',
  'redis://:key@cache.example:6379/0',
  'rediss://:key@cache.example',
  'libsql://db.example?authToken=key',
])('leaves the address %s out, with whatever is in it', (url) => {
  const told = describeCause(new Error(`cannot reach "${url}" (twice: ${url}) now`))
  expect(told).not.toMatch(/key|example/)
  expect(told).toContain('now')
})

it('keeps the places in the source files', () => {
  expect(describeCause(new Error('x'))).toContain('responses.test.ts:')
})
