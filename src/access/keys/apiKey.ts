import { hash, randomBytes } from 'node:crypto'

/**
 * A developer's key: `svc_`, 43 base64url characters of 256 random bits, and 6 characters of checksum.
 *
 * The checksum needs no database: it tells a mistyped key from one that was revoked, and lets scanners of
 * leaked secrets recognise a key without asking anybody.
 */
const SHAPE = /^svc_[A-Za-z0-9_-]{49}$/
const CHECKSUM_LENGTH = 6
const KEY_LENGTH = 53
const PREFIX_LENGTH = 12

/** A new key. It is shown to its owner once and never kept. */
export function mintKey(): string {
  const secret = `svc_${randomBytes(32).toString('base64url')}`
  return secret + checksumOf(secret)
}

/** Why a text cannot be a key that was ever issued; `undefined` where it may be one. */
export function flawOf(text: string): 'malformed' | 'mistyped' | undefined {
  if (text.length !== KEY_LENGTH || !SHAPE.test(text)) return 'malformed'
  const secret = text.slice(0, -CHECKSUM_LENGTH)
  // Nothing secret is compared here: anybody can compute a checksum.
  return text.slice(-CHECKSUM_LENGTH) === checksumOf(secret) ? undefined : 'mistyped'
}

/** What is kept of a key: SHA-256 of the whole, hex. With 256 random bits it needs no salt and no slow hash. */
export function hashOf(key: string): string {
  return hash('sha256', key)
}

/** The first characters, by which its owner tells a key from others: 48 of its 256 bits. */
export function prefixOf(key: string): string {
  return key.slice(0, PREFIX_LENGTH)
}

/** 36 bits of SHA-256 over all that stands before. */
function checksumOf(secret: string): string {
  return hash('sha256', secret, 'base64url').slice(0, CHECKSUM_LENGTH)
}
