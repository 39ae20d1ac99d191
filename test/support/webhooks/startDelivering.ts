import type { LoggedEvent } from '@remit/engine/ports/events'
import { encodeEvents } from '@remit/engine/presentation/event'
import { EventLogs } from '@remit/service/testing/history/EventLogs'
import { createProjection } from '@remit/service/testing/history/projection/createProjection'
import type { Store } from '@remit/service/testing/store/openStore'
import { SecretBox } from '@remit/service/testing/store/SecretBox'
import { Deliverer } from '@remit/service/testing/webhooks/delivering/Deliverer'
import type { Retries } from '@remit/service/testing/webhooks/delivering/retries'
import { Webhooks } from '@remit/service/testing/webhooks/endpoints/Webhooks'
import { Sender } from '@remit/service/testing/webhooks/sending/Sender'
import { ServiceKey } from '@remit/service/testing/webhooks/signing/signatures'
import { CHAIN } from './InventedLog.ts'

export const TEST_SECRETS_KEY = '11'.repeat(32)

/** Days become seconds. */
export const QUICK_RETRIES: Retries = {
  firstWaitMs: 20,
  longestWaitMs: 200,
  giveUpAfterMs: 60_000,
  pauseEndpointAfterMs: 120_000,
}

/** As many challenges as a test likes. */
export const anyChallenge = async () => {}

const silent = { info: () => {}, warn: () => {}, error: () => {} }

export interface DeliveringOptions {
  readonly retries?: Retries
  readonly timeoutMs?: number
  readonly leaseMs?: number
  /** Whether events cannot be encoded now. */
  readonly refuses?: (events: readonly LoggedEvent[]) => boolean
  /** Whether no answer comes to what events need of their chain. */
  readonly hangs?: () => boolean
  readonly warn?: (message: string, facts?: object) => void
}

/** Management and delivery of webhooks over a store and an invented log. Invented events name no token of any chain. */
export function startDelivering(
  store: Store,
  {
    retries = QUICK_RETRIES,
    timeoutMs = 4_000,
    leaseMs = 3_000,
    refuses = () => false,
    hangs = () => false,
    warn = () => {},
  }: DeliveringOptions = {},
) {
  const box = new SecretBox([TEST_SECRETS_KEY])
  const serviceKey = new ServiceKey(store, box)
  const sender = new Sender({ allowLoopback: true, timeoutMs })
  const events = new EventLogs(createProjection(store), [CHAIN])
  const chains = { withView: () => Promise.reject(new Error('no chain in these tests')) }
  const shared = { store, box, serviceKey, sender, events, chainIds: [CHAIN] }
  const webhooks = new Webhooks({ ...shared, headOf: () => 100, allowLoopback: true, mostOfSubject: 100_000 })
  const deliverer = new Deliverer({
    ...shared,
    async encode(chainId, logged) {
      if (refuses(logged)) throw new Error('no view of the chain')
      if (hangs()) return new Promise<never>(() => {})
      return encodeEvents(chains, chainId, logged)
    },
    log: { ...silent, warn },
    retries,
    leaseMs,
  })
  return {
    webhooks,
    deliverer,
    start: () => deliverer.start(),
    async stop() {
      await deliverer.stop()
      await events.close()
      sender.close()
    },
  }
}

/** All events of the log, to a URL. */
export function listeningTo(url: string) {
  return {
    url,
    chainId: null,
    types: null,
    subscriptionId: null,
    provider: null,
    account: null,
    finality: 'seen',
    description: null,
  } as const
}
