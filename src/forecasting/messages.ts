import type { ChainEntry } from '../chain/registry.ts'
import type { ApartQuestion } from '../core/ports/apart.ts'
import type { UpstreamRequest } from '../core/ports/chainObserver.ts'
import type { ForecastQuestion, Foreseen } from '../core/ports/forecasts.ts'
import type { Facts } from '../core/ports/log.ts'
import type { ToldError } from '../errors/base.ts'

/** What the thread is started with. */
export interface ThreadOptions {
  readonly entries: readonly ChainEntry[]
  readonly rpcTimeoutMs: number
}

/** What it is told to make: a forecast, or the answer of an operation. */
export type Order =
  | { readonly kind: 'forecast'; readonly id: number; readonly question: ForecastQuestion }
  | { readonly kind: 'answer'; readonly id: number; readonly question: ApartQuestion }

/** What it says. */
export type FromForecastThread =
  | { readonly kind: 'made'; readonly id: number; readonly foreseen: Foreseen }
  | { readonly kind: 'answered'; readonly id: number; readonly result: object }
  | { readonly kind: 'refused'; readonly id: number; readonly told: ToldError }
  | { readonly kind: 'gone'; readonly id: number; readonly reason: string }
  | { readonly kind: 'failed'; readonly id: number; readonly reason: string }
  | { readonly kind: 'asked'; readonly request: UpstreamRequest }
  | {
      readonly kind: 'log'
      readonly level: 'info' | 'warn' | 'error'
      readonly text: string
      readonly facts: Facts | undefined
    }
