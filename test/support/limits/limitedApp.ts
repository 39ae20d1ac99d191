import { randomUUID } from 'node:crypto'
import { DEFAULT_LIMITS } from '@remit/engine/declare/lanes'
import { Limits } from '@remit/service/testing/access/limits/Limits'
import { MemoryCounters } from '@remit/service/testing/access/limits/MemoryCounters'
import type { Identity } from '@remit/service/testing/ports/access'
import { type SmallAppOptions, smallApp } from '../app/smallApp.ts'

export const NOON = Date.UTC(2024, 4, 17, 12)

/** Both surfaces over real limits and a driven clock. */
export function limitedApp(options: SmallAppOptions = {}) {
  const clock = { now: NOON }
  const charging = new Limits({
    lanes: DEFAULT_LIMITS,
    authFailuresRpm: 30,
    counters: new MemoryCounters({ now: () => clock.now }),
    portalUrl: () => 'https://keys.example',
    newKeysDaily: 5,
    challengesDaily: 20,
    developerKeysEnabled: true,
    asksBasicAuth: false,
  })
  let caller: Identity = { lane: 'free', id: 'somebody' }
  const identities = { identify: async () => caller }
  return {
    clock,
    charging,
    caller: () => caller,
    /** From now on it is another one who calls, and noon again. */
    becomes(identity: Partial<Identity>) {
      caller = { lane: 'free', id: randomUUID(), ...identity }
      clock.now = NOON
    },
    ...smallApp({ charging, identities, ...options }),
  }
}

export type LimitedApp = ReturnType<typeof limitedApp>

/** The names of what an answer says that it took from. */
export function taken(headers: Headers): string[] {
  return [...(headers.get('ratelimit-policy') ?? '').matchAll(/"(\w+)"/g)].map(([, name]) => name ?? '')
}

/** What a client of tools accepts. */
export const ACCEPT = { Accept: 'application/json, text/event-stream' }

/** One JSON-RPC request. */
export const message = (method: string, params: unknown) => ({ jsonrpc: '2.0', id: 1, method, params })
