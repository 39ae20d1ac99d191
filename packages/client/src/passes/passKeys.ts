import type { GetPassKeysAnswer } from '../generated/api.ts'

/** The public keys of a service's passes, as `getPassKeys` and `/.well-known/jwks.json` give them. */
export type PassKeySet = Pick<GetPassKeysAnswer, 'keys'>

/** The type has another name in Node than in browsers. */
type VerifyingKey = Awaited<ReturnType<typeof crypto.subtle.importKey>>

/** Keys that were read once. A set that is kept is imported once, however many passes it verifies. */
const imported = new WeakMap<PassKeySet, Map<string, Promise<VerifyingKey>>>()

/** The key with this id, ready for use; `undefined` where the set has none. */
export function findKey(set: PassKeySet, id: string): Promise<VerifyingKey> | undefined {
  const known = imported.get(set) ?? new Map<string, Promise<VerifyingKey>>()
  imported.set(set, known)
  const ready = known.get(id)
  if (ready !== undefined) return ready
  const row = set.keys.find(({ kid }) => kid === id)
  if (row === undefined) return undefined
  const { kty, crv, x } = row
  const key = crypto.subtle.importKey('jwk', { kty, crv, x }, 'Ed25519', false, ['verify'])
  known.set(id, key)
  return key
}
