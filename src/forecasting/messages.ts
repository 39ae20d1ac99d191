import type { ChainEntry } from '../chain/registry.ts'
import type { ForecastQuestion, Foreseen } from '../core/ports/forecasts.ts'
import type { Facts } from '../core/ports/log.ts'
import type { UpstreamRequest } from '../core/ports/telemetry.ts'

/** What the thread is started with. */
export interface ThreadOptions {
  readonly entries: readonly ChainEntry[]
  readonly rpcTimeoutMs: number
}

/** What it is told to make. */
export interface ForecastOrder {
  readonly id: number
  readonly question: ForecastQuestion
}

/** What it says. */
export type FromForecastThread =
  | { readonly kind: 'made'; readonly id: number; readonly foreseen: Foreseen }
  | { readonly kind: 'failed'; readonly id: number; readonly reason: string }
  | { readonly kind: 'asked'; readonly request: UpstreamRequest }
  | {
      readonly kind: 'log'
      readonly level: 'info' | 'warn' | 'error'
      readonly text: string
      readonly facts: Facts | undefined
    }
