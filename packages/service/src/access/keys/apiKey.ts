import { hash, randomBytes } from 'node:crypto'

/**
 * A developer's key: `svc_`, 43 base64url characters of 256 random bits, and 6 characters of checksum.
 *
 * The checksum tells a mistyped key from a revoked one without the database. Scanners for leaked secrets can recognise a
 * key by it.
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

/** Why a text cannot be an issued key; `undefined` where it can be one. */
export function flawOf(text: string): 'malformed' | 'mistyped' | undefined {
  if (text.length !== KEY_LENGTH || !SHAPE.test(text)) return 'malformed'
  const secret = text.slice(0, -CHECKSUM_LENGTH)
  // A plain comparison is safe: anybody can compute the checksum.
  return text.slice(-CHECKSUM_LENGTH) === checksumOf(secret) ? undefined : 'mistyped'
}

/** SHA-256 of the whole key in hex: the only part that is stored. A key has 256 random bits, so no salt is needed. */
export function hashOf(key: string): string {
  return hash('sha256', key)
}

/** The first characters, by which its owner recognises a key: 48 of its 256 bits. */
export function prefixOf(key: string): string {
  return key.slice(0, PREFIX_LENGTH)
}

/** 36 bits of SHA-256 over all that stands before. */
function checksumOf(secret: string): string {
  return hash('sha256', secret, 'base64url').slice(0, CHECKSUM_LENGTH)
}
