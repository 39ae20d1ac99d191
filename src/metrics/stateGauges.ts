import { Counter, Gauge, type Registry } from 'prom-client'
import type { ChainHealth } from '../core/ports/chains.ts'
import type { IndexHealth } from '../core/ports/history.ts'

/** The state of the service, read from memory. */
export interface ServiceState {
  chains(): readonly ChainHealth[]
  /** `null` where the chain keeps no index. */
  index(chainId: number): IndexHealth | null
  connections(): ConnectionCounts
  draining(): boolean
  /** How much of its memory the Redis of the counters uses; `undefined` where that is not known. */
  limiterFullness(): number | undefined
}

/** Connections of the server that callers reach. */
export interface ConnectionCounts {
  readonly open: number
  /** Waiting connections that were closed since the start to make room. */
  readonly evicted: number
  /** Connections that were refused since the start, because there was no room. */
  readonly refused: number
}

/** Gauges that are read when Prometheus asks. */
export function addStateGauges(registry: Registry, state: ServiceState): void {
  function gauge(name: string, help: string, read: () => number): void {
    new Gauge({
      name,
      help,
      registers: [registry],
      collect() {
        this.set(read())
      },
    })
  }

  /** A count since the start that is kept elsewhere. */
  function count(name: string, help: string, read: () => number): void {
    new Counter({
      name,
      help,
      registers: [registry],
      collect() {
        this.reset()
        this.inc(read())
      },
    })
  }

  /** One value for each chain, left out where it is not known. */
  function perChain(name: string, help: string, read: (chain: ChainHealth) => number | null): void {
    new Gauge({
      name,
      help,
      labelNames: ['chain'],
      registers: [registry],
      collect() {
        this.reset()
        for (const health of state.chains()) {
          const value = read(health)
          if (value !== null) this.set({ chain: health.chainId }, value)
        }
      },
    })
  }

  perChain('remit_chain_ok', '1 while the chain answers as it is configured', ({ rpc, misconfigured }) =>
    Number(rpc.ok && misconfigured === null),
  )
  perChain('remit_chain_head_block', 'The newest block seen', ({ rpc }) => rpc.blockNumber)
  perChain('remit_chain_head_latency_seconds', 'How long the last look at the head took', ({ rpc }) =>
    rpc.latencyMs === null ? null : rpc.latencyMs / 1_000,
  )

  const index = <Value>(read: (health: IndexHealth) => Value) => {
    return ({ chainId }: ChainHealth) => {
      const health = state.index(chainId)
      return health === null ? null : read(health)
    }
  }
  perChain(
    'remit_index_ok',
    '1 while the index follows its source',
    index(({ ok }) => Number(ok)),
  )
  perChain(
    'remit_index_synced',
    '1 while the index is at the head',
    index(({ synced }) => Number(synced)),
  )
  perChain(
    'remit_index_block',
    'The block that the index stands at',
    index(({ blockNumber }) => blockNumber),
  )
  perChain(
    'remit_index_lag_seconds',
    "The chain head's timestamp less the index's",
    index(({ lagSeconds }) => lagSeconds),
  )
  perChain(
    'remit_index_backfill_percent',
    'How much of the past has been read, while it is being read',
    index(({ backfill }) => backfill?.percent ?? null),
  )

  gauge('remit_connections_open', 'Open connections', () => state.connections().open)
  count(
    'remit_connections_evicted_total',
    'Waiting connections closed to make room',
    () => state.connections().evicted,
  )
  count(
    'remit_connections_refused_total',
    'Connections turned away for want of room',
    () => state.connections().refused,
  )
  new Gauge({
    name: 'remit_limiter_redis_used_ratio',
    help: 'How much of its maxmemory the Redis of the counters has taken',
    registers: [registry],
    collect() {
      const ratio = state.limiterFullness()
      if (ratio === undefined) this.remove()
      else this.set(ratio)
    },
  })
  gauge('remit_draining', '1 while the process drains', () => Number(state.draining()))
}
