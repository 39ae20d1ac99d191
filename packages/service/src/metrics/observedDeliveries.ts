import type { WebhooksHealth } from '@remit/engine/schema/health'
import { Counter, Gauge, type Registry } from 'prom-client'

/** One turn of an endpoint: how each request to it ended, and why it was paused, if it was. */
interface Turn {
  readonly endings: readonly string[]
  readonly paused: string | undefined
}

/** What is known of webhooks just now; `null` where that is nothing. */
interface Webhooks {
  /** What this process does. */
  health(): { readonly claimed: number; readonly quick: number; readonly slow: number } | null
  /** How all of them stand, whoever delivers. */
  standing(): Pick<
    WebhooksHealth,
    'active' | 'failing' | 'paused' | 'deliverers' | 'waiting' | 'behindSeconds'
  > | null
}

/** Adds the metrics of webhooks. Returns what is called for each turn of an endpoint, to count it. */
export function observedDeliveries(registry: Registry, webhooks: () => Webhooks): (turn: Turn) => void {
  const registers = [registry]
  const attempts = new Counter({
    name: 'remit_webhook_attempts_total',
    help: 'Requests to webhooks, by how they ended',
    labelNames: ['ending'],
    registers,
  })
  const pauses = new Counter({
    name: 'remit_webhook_pauses_total',
    help: 'Webhooks that were paused because they answered 410, or failed for days',
    labelNames: ['reason'],
    registers,
  })
  new Gauge({
    name: 'remit_webhook_endpoints_sending',
    help: 'Webhooks that are being sent to, by how fast they answer',
    labelNames: ['pace'],
    registers,
    collect() {
      const { quick = 0, slow = 0 } = webhooks().health() ?? {}
      this.set({ pace: 'quick' }, quick)
      this.set({ pace: 'slow' }, slow)
    },
  })
  new Gauge({
    name: 'remit_webhook_shards',
    help: 'Webhooks that this process has claimed',
    registers,
    collect() {
      this.set(webhooks().health()?.claimed ?? 0)
    },
  })
  new Gauge({
    name: 'remit_webhook_endpoints',
    help: 'Webhooks, by how they stand; those that fail are active too',
    labelNames: ['state'],
    registers,
    collect() {
      const { active = 0, failing = 0, paused = 0 } = webhooks().standing() ?? {}
      this.set({ state: 'active' }, active)
      this.set({ state: 'failing' }, failing)
      this.set({ state: 'paused' }, paused)
    },
  })
  const standing = (name: string, help: string, field: 'deliverers' | 'waiting' | 'behindSeconds') =>
    new Gauge({
      name,
      help,
      registers,
      collect() {
        this.set(webhooks().standing()?.[field] ?? 0)
      },
    })
  standing('remit_webhook_deliverers', 'Processes that deliver', 'deliverers')
  standing('remit_webhook_deliveries_waiting', 'Deliveries that are not done, up to 100,000', 'waiting')
  standing('remit_webhook_behind_seconds', 'How long events have waited that could be sent', 'behindSeconds')
  return ({ endings, paused }) => {
    for (const ending of endings) attempts.inc({ ending })
    if (paused !== undefined) pauses.inc({ reason: paused })
  }
}
