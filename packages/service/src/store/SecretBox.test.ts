import { randomBytes } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { readSecretKey, SealedError, SecretBox } from './SecretBox.ts'

const OLD = randomBytes(32).toString('base64')
const NEW = randomBytes(32).toString('hex')
const SECRET = 'whsec_ünïcode and more'

describe('a sealed secret', () => {
  it('opens with its key and its context, and shows nothing of itself', () => {
    const box = new SecretBox([OLD])
    const sealed = box.seal(SECRET, 'endpoints 7')
    expect(box.open(sealed, 'endpoints 7')).toBe(SECRET)
    expect(Buffer.from(sealed.split('.')[2] ?? '', 'base64url').toString('utf8')).not.toContain('whsec')
    expect(box.seal(SECRET, 'endpoints 7')).not.toBe(sealed)
  })

  it('opens nowhere else than where it was put', () => {
    const box = new SecretBox([OLD])
    const sealed = box.seal(SECRET, 'endpoints 7')
    expect(() => box.open(sealed, 'endpoints 8')).toThrow(SealedError)
  })

  it('opens no more once any part of it is changed', () => {
    const box = new SecretBox([OLD])
    const sealed = box.seal(SECRET, 'endpoints 7')
    const [version, id, body = ''] = sealed.split('.')
    for (let place = 0; place < body.length - 1; place += 1) {
      const other = body[place] === 'A' ? 'B' : 'A'
      const changed = `${version}.${id}.${body.slice(0, place)}${other}${body.slice(place + 1)}`
      expect(() => box.open(changed, 'endpoints 7')).toThrow(SealedError)
    }
    for (const broken of ['', sealed.slice(0, 20), `2.${id}.${body}`]) {
      expect(() => box.open(broken, 'endpoints 7')).toThrow(SealedError)
    }
  })

  it('outlives its key’s replacement while both are listed', () => {
    const sealed = new SecretBox([OLD]).seal(SECRET, 'x')
    const both = new SecretBox([NEW, OLD])
    expect(both.open(sealed, 'x')).toBe(SECRET)
    const again = both.seal(SECRET, 'x')
    expect(new SecretBox([NEW]).open(again, 'x')).toBe(SECRET)
    expect(() => new SecretBox([NEW]).open(sealed, 'x')).toThrow('SECRETS_KEY does not list')
  })
})

it('a key of secrets is 32 bytes in hex, Base64 or base64url', () => {
  const bytes = randomBytes(32)
  for (const encoding of ['hex', 'base64', 'base64url'] as const) {
    expect(readSecretKey(bytes.toString(encoding))).toEqual(bytes)
  }
  for (const wrong of ['', 'short', randomBytes(31).toString('base64'), `${bytes.toString('hex')}0`]) {
    expect(readSecretKey(wrong)).toBeUndefined()
  }
})
