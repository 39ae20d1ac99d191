import type { ChainHealth } from '@remit/engine/ports/chains'
import type { EndpointLimits } from '@remit/engine/ports/nodes'
import type { IndexHealth } from '@remit/engine/schema/health'
import { Counter, Gauge, type Registry } from 'prom-client'
import type { Connections } from '../surfaces/server/Connections.ts'

// Metrics that are read from the state of the process when Prometheus asks: of its chains, and of its server. Others are in `Metrics.ts`.

/** How the chains of a process and their indexes stand, read from memory. */
export interface ChainsState {
  chains(): readonly ChainHealth[]
  /** What is known of each of the chain's nodes. */
  nodeLimits(chainId: number): readonly EndpointLimits[]
  /** `null` where the chain keeps no index. */
  index(chainId: number): IndexHealth | null
  /** `null` where this process does not sweep the chain. */
  sweep(chainId: number): SweepCounts | null
  /** `null` where this process does not look providers up. */
  lookups(chainId: number): LookupsCounts | null
}

/** How a server that callers reach stands, read from memory. */
export interface ServerState {
  connections(): Connections['counts']
  /** Open streams of events, and long polls that wait. */
  streams(): number
  draining(): boolean
  /** How much of its memory the Redis of the counters uses; `undefined` where that is not known. */
  limiterFullness(): number | undefined
}

/** The sweep of a chain: the loop that reads members' money anew, and so which of their charges will be paid. */
interface SweepCounts {
  /** How many memberships wait to be read; `null` before that is known. */
  readonly due: number | null
  readonly requestsLastHour: number
  readonly requestsPerHour: number
}

/** The look-ups of providers' domains and names. */
interface LookupsCounts {
  /** How many providers wait to be looked up; `null` before that is known. */
  readonly due: number | null
  readonly lookupsLastHour: number
  readonly lookupsPerHour: number
  /** For how long every look-up of a DNS resolver has failed, by `first` and `second`; 0 if it works. */
  readonly resolverFailingSeconds: Readonly<Record<string, number>>
}

/** What a gauge shows of one node: a value for each value of its label. */
type PerNode = (node: EndpointLimits) => readonly (readonly [labelValue: string, value: number])[]

/** Adds gauges of the chains, which are read when Prometheus asks. */
export function addChainGauges(registry: Registry, state: ChainsState): void {
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

  /** As `perChain`, of one part of each chain's state, where the process has that part. */
  function perChainWith<Part>(partOf: (chainId: number) => Part | null) {
    return (name: string, help: string, read: (part: Part) => number | null) =>
      perChain(name, help, ({ chainId }) => {
        const part = partOf(chainId)
        return part === null ? null : read(part)
      })
  }

  /** One value for each chain, node and value of a label. */
  function perNode(name: string, help: string, label: string, read: PerNode): void {
    new Gauge({
      name,
      help,
      labelNames: ['chain', 'endpoint', label],
      registers: [registry],
      collect() {
        this.reset()
        for (const { chainId: chain } of state.chains()) {
          for (const node of state.nodeLimits(chain)) {
            for (const [labelValue, value] of read(node))
              this.set({ chain, endpoint: node.endpoint, [label]: labelValue }, value)
          }
        }
      },
    })
  }

  perNode('remit_node_limit', 'The most that an RPC URL is known to grant at once', 'limit', ({ limits }) =>
    Object.entries(limits).map(([limit, { value }]) => [limit, value]),
  )
  perNode('remit_node_ability', '1 if an RPC URL can do it, 0 if it cannot', 'ability', ({ abilities }) =>
    Object.entries(abilities).map(([ability, { value }]) => [ability, Number(value)]),
  )
  perChain('remit_chain_ok', '1 while the chain answers as it is configured', ({ rpc, misconfigured }) =>
    Number(rpc.ok && misconfigured === null),
  )
  perChain('remit_chain_head_block', 'The newest block seen', ({ rpc }) => rpc.blockNumber)
  perChain(
    'remit_head_age_seconds',
    'How old the newest block is that any node gives, by this machine’s clock',
    ({ rpc }) => rpc.headAgeSeconds,
  )
  perChain('remit_chain_head_latency_seconds', 'How long the last look at the head took', ({ rpc }) =>
    rpc.latencyMs === null ? null : rpc.latencyMs / 1_000,
  )

  const perIndex = perChainWith((chainId) => state.index(chainId))
  perIndex('remit_index_ok', '1 while the index follows its source', ({ ok }) => Number(ok))
  perIndex('remit_index_synced', '1 while the index is at the head', ({ synced }) => Number(synced))
  perIndex('remit_index_block', 'The block that the index stands at', ({ blockNumber }) => blockNumber)
  perIndex(
    'remit_index_lag_seconds',
    "The chain head's timestamp less the index's",
    ({ lagSeconds }) => lagSeconds,
  )
  perIndex(
    'remit_index_backfill_percent',
    'How much of the past has been read, while it is being read',
    ({ backfill }) => backfill?.percent ?? null,
  )

  const perSweep = perChainWith((chainId) => state.sweep(chainId))
  perSweep('remit_sweep_due', 'Memberships whose next charge is to be looked at', ({ due }) => due)
  perSweep(
    'remit_sweep_requests_last_hour',
    'Questions to nodes that the sweep made in the last hour',
    ({ requestsLastHour }) => requestsLastHour,
  )
  perSweep('remit_sweep_requests_per_hour', 'How many it may make', ({ requestsPerHour }) => requestsPerHour)

  const perLookups = perChainWith((chainId) => state.lookups(chainId))
  perLookups(
    'remit_provider_looks_due',
    'Providers whose domain and name are to be looked up',
    ({ due }) => due,
  )
  perLookups(
    'remit_provider_looks_last_hour',
    'Providers that were looked up in the last hour',
    ({ lookupsLastHour }) => lookupsLastHour,
  )
  perLookups('remit_provider_looks_per_hour', 'How many may be', ({ lookupsPerHour }) => lookupsPerHour)
  new Gauge({
    name: 'remit_dns_resolver_failing_seconds',
    help: 'For how long every look-up of a resolver has failed',
    labelNames: ['chain', 'resolver'],
    registers: [registry],
    collect() {
      this.reset()
      for (const { chainId: chain } of state.chains()) {
        const failing = Object.entries(state.lookups(chain)?.resolverFailingSeconds ?? {})
        for (const [resolver, seconds] of failing) this.set({ chain, resolver }, seconds)
      }
    },
  })
}

/** Adds gauges of the server, which are read when Prometheus asks. */
export function addServerGauges(registry: Registry, state: ServerState): void {
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
  gauge('remit_streams_open', 'Open streams of events and waiting long polls', () => state.streams())
  gauge('remit_draining', '1 while the process drains', () => Number(state.draining()))
}
