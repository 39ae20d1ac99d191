import type { LaneLimits } from '@remit/engine/declare/lanes'
import type { ChainsPort } from '@remit/engine/ports/chains'
import type { HistoryPort } from '@remit/engine/ports/history'
import type { WebhooksHealth } from '@remit/engine/schema/health'
import type { Operator } from '@remit/site/page/pageContents'

/** One row of the catalog's manifest. */
export interface CatalogRoute {
  readonly method: string
  /** The path with the `/api` prefix, which every host serves. */
  readonly path: string
  readonly description: string
}

/** What the service knows about itself. */
export interface ServicePort {
  readonly version: string
  /** The URL at which callers reach it, without a slash at its end. */
  readonly publicUrl: string
  /** `null` where nobody has said who runs it. */
  readonly operator: Operator | null
  readonly apiEnabled: boolean
  readonly developerKeysEnabled: boolean
  /** Whether every request needs Basic Auth, which takes the header Authorization. */
  readonly asksBasicAuth: boolean
  /** `null` where a lane is not metered or does not exist. */
  readonly limits: { readonly free: LaneLimits | null; readonly developer: LaneLimits | null }
  readonly chains: Pick<ChainsPort, 'rows' | 'defaultChainId' | 'health' | 'nodeLimits'>
  readonly indexes: Pick<HistoryPort, 'health'>
  /** `null` where webhooks are switched off, and for a moment after the start. */
  webhooks(): WebhooksHealth | null
  /** When this process began, in unix seconds. */
  readonly startedAt: number
  /** What went wrong since then, the newest first. */
  incidents(most: number): readonly Incident[]
  /** True while the process shuts down: it still answers, but load balancers must stop sending requests. */
  draining(): boolean
  /** Made from the list of operations. */
  routes(): readonly CatalogRoute[]
  /** Made from the list of operations. */
  openApi(): { readonly openapi: string; readonly [field: string]: unknown }
}

export const PARTS = ['node', 'head', 'configuration', 'index', 'webhooks'] as const

/** Something that is wrong now. */
export interface Trouble {
  readonly part: (typeof PARTS)[number]
  /** `null` for what belongs to no chain. */
  readonly chainId: number | null
  /** A sentence, which names no upstream. */
  readonly message: string
}

/** A trouble with its time. Times are unix seconds. */
export interface Incident extends Trouble {
  readonly startedAt: number
  /** `null` while it lasts. */
  readonly endedAt: number | null
}
