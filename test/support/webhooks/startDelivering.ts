import { EventLogs } from '../../../src/history/EventLogs.ts'
import { createProjection } from '../../../src/history/projection/createProjection.ts'
import { encodeEvents } from '../../../src/presentation/event.ts'
import type { Store } from '../../../src/store/openStore.ts'
import { SecretBox } from '../../../src/store/SecretBox.ts'
import { Deliverer } from '../../../src/webhooks/delivering/Deliverer.ts'
import type { Retries } from '../../../src/webhooks/delivering/retries.ts'
import { Webhooks } from '../../../src/webhooks/endpoints/Webhooks.ts'
import { Sender } from '../../../src/webhooks/sending/Sender.ts'
import { ServiceKey } from '../../../src/webhooks/signing/ServiceKey.ts'
import { CHAIN } from './InventedLog.ts'

export const TEST_SECRETS_KEY = '11'.repeat(32)

/** Days become seconds. */
export const QUICK_RETRIES: Retries = {
  firstPauseMs: 20,
  mostPauseMs: 200,
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
  readonly warn?: (message: string, facts?: object) => void
}

/** Management and delivery of webhooks over a store and an invented log. Invented events name no token of any chain. */
export function startDelivering(
  store: Store,
  { retries = QUICK_RETRIES, timeoutMs = 4_000, leaseMs = 3_000, warn = () => {} }: DeliveringOptions = {},
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
    encode: (chainId, logged) => encodeEvents(chains, chainId, logged),
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
