import type { PassesPort } from '@remit/engine/ports/passes'
import { PassesOffError, PortalClosedError } from '../errors/access.ts'
import type { NewKeysPort, UsagePort } from './access.ts'
import type { KeyOwner, KeysPort } from './keys.ts'
import type { SessionsPort } from './sessions.ts'

/** What people with a wallet use: sessions, their own keys, passes. */
export interface PortalPorts {
  readonly sessions: SessionsPort
  readonly passes: PassesPort
  readonly usage: UsagePort
  readonly newKeys: NewKeysPort
  /** The keys of one subject, for its session. */
  ownKeys(owner: KeyOwner): KeysPort
}

const refuse = () => Promise.reject(PortalClosedError.off())

/** The port of a service whose passes are switched off. */
export const noPasses: PassesPort = {
  graceDays: 0,
  issue: async () => {
    throw new PassesOffError()
  },
  keys: async () => {
    throw new PassesOffError()
  },
}

/** Nobody can sign in. */
export const noPortal: PortalPorts = {
  sessions: { portal: 'off', terms: refuse, open: refuse, close: refuse, confirm: refuse },
  passes: noPasses,
  usage: { usageOf: refuse },
  newKeys: { takeNewKey: refuse },
  ownKeys() {
    throw PortalClosedError.off()
  },
}
