import { KeysUnavailableError } from '@remit/service/testing/errors/access'
import type { KeysPort } from '@remit/service/testing/ports/keys'

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
