import type { Chains } from '@remit/engine/chain/Chains'
import type { Log } from '@remit/engine/ports/log'
import { encodeEvents } from '@remit/engine/presentation/event'
import type { WebhooksHealth } from '@remit/engine/schema/health'
import type { StoreAccess } from '../access/StoreAccess.ts'
import type { Config } from '../configuration/loadConfig.ts'
import type { WorkPulse } from '../metrics/WorkPulse.ts'
import type { WebhooksPort } from '../ports/webhooks.ts'
import type { Store } from '../store/openStore.ts'
import { SecretBox } from '../store/SecretBox.ts'
import { Deliverer, type DelivererHealth } from '../webhooks/delivering/Deliverer.ts'
import type { Retries } from '../webhooks/delivering/retries.ts'
import type { TurnResult } from '../webhooks/delivering/writeTurnResults.ts'
import { Webhooks } from '../webhooks/endpoints/Webhooks.ts'
import { noWebhooks } from '../webhooks/noWebhooks.ts'
import { Sender } from '../webhooks/sending/Sender.ts'
import { ServiceKey } from '../webhooks/signing/signatures.ts'
import { WebhooksWatch } from '../webhooks/WebhooksWatch.ts'
import type { Indexing } from './createIndexing.ts'

/** Webhooks: their management, and with DELIVERER=true their delivery by this process. */
interface Delivering {
  readonly webhooks: WebhooksPort
  /** `null` where this process delivers nothing. */
  health(): DelivererHealth | null
  /** The health of webhooks in all processes; `null` if they are switched off, and before the first look. */
  standing(): WebhooksHealth | null
  /** Throws StoreError where SECRETS_KEY does not open the key that signs. */
  start(): Promise<void>
  /** Ends after the running requests, and lets other processes take over. */
  stop(): Promise<void>
}

interface Options {
  readonly config: Pick<
    Config,
    'webhooks' | 'deliverer' | 'webhooksAllowLoopback' | 'maxWebhooksPerSubject' | 'secretsKeys'
  >
  readonly chains: Pick<Chains, 'withView' | 'seenHead' | 'rows' | 'defaultChainId'>
  readonly indexing: Pick<Indexing, 'events' | 'chainIds'>
  readonly store: Store
  readonly version: string
  readonly log: Log
  /** How the management of webhooks asks the store. */
  readonly access?: Pick<StoreAccess, 'ask'>
  /** Is called for each turn of an endpoint. */
  readonly onTurn?: ((result: TurnResult) => void) | undefined
  /** Is told whether deliveries go on. */
  readonly pulse?: Pick<WorkPulse, 'add'>
  // Tests shorten these times, in milliseconds.
  readonly retries?: Retries
  readonly leaseMs?: number
  readonly timeoutMs?: number
}

/** Wires webhooks, if they are switched on. Nothing is sent before `start()`. */
export function createDelivering(options: Options): Delivering {
  const {
    config,
    chains,
    indexing,
    store,
    access,
    version,
    log,
    onTurn,
    pulse,
    retries,
    leaseMs,
    timeoutMs,
  } = options
  const { secretsKeys } = config
  if (!config.webhooks || secretsKeys === undefined) return NOTHING
  const box = new SecretBox(secretsKeys)
  const serviceKey = new ServiceKey(store, box)
  const sender = new Sender({
    allowLoopback: config.webhooksAllowLoopback,
    userAgent: `Remit/${version}`,
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
  })
  const { events, chainIds } = indexing
  const shared = { store, box, serviceKey, sender, events, chainIds }
  const webhooks = new Webhooks({
    ...shared,
    headOf: (chainId) => chains.seenHead(chainId)?.number,
    allowLoopback: config.webhooksAllowLoopback,
    mostOfSubject: config.maxWebhooksPerSubject,
    ...(access === undefined ? {} : { ask: (question) => access.ask(question) }),
  })
  const deliverer = config.deliverer
    ? new Deliverer({
        ...shared,
        encode: (chainId, logged) => encodeEvents(chains, chainId, logged),
        log,
        ...(onTurn === undefined ? {} : { onTurn }),
        ...(pulse && { watch: (name: string) => pulse.add(name) }),
        ...(retries === undefined ? {} : { retries }),
        ...(leaseMs === undefined ? {} : { leaseMs }),
      })
    : undefined
  const watch = new WebhooksWatch({ store, log })
  return {
    webhooks,
    health: () => deliverer?.health() ?? null,
    standing: () => watch.health(),
    async start() {
      // Where SECRETS_KEY does not open it, this stops the start.
      await serviceKey.get()
      await deliverer?.start()
      watch.start()
    },
    async stop() {
      await watch.stop()
      await deliverer?.stop()
      sender.close()
    },
  }
}

const NOTHING: Delivering = {
  webhooks: noWebhooks,
  health: () => null,
  standing: () => null,
  start: async () => {},
  stop: async () => {},
}
