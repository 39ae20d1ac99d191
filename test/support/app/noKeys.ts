import type { KeysPort } from '../../../src/core/ports/keys.ts'
import { KeysUnavailableError } from '../../../src/errors/access.ts'

const refuse = () => Promise.reject(KeysUnavailableError.away(undefined))

/** No keys, and no store to make any in. */
export const noKeys: KeysPort = {
  create: refuse,
  list: refuse,
  rotate: refuse,
  rename: refuse,
  get: refuse,
  revoke: refuse,
}
