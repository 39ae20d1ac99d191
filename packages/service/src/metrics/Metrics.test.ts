import { smallApp } from '@remit/testing/support/app/smallApp'
import { Registry } from 'prom-client'
import { describe, expect, it } from 'vitest'
import { Metrics } from './Metrics.ts'
import { observedDeliveries } from './observedDeliveries.ts'
import { addChainGauges, addServerGauges } from './stateGauges.ts'

/** The samples of one metric, as they are on the page. */
async function samples(metrics: Metrics, name: string): Promise<string[]> {
  const page = await metrics.registry.metrics()
  return page.split('\n').filter((line) => line.startsWith(`${name}{`) || line.startsWith(`${name} `))
}

describe('metrics', () => {
  it('count requests by surface, operation, status and lane', async () => {
    const metrics = new Metrics('1.2.3')
    const { call } = smallApp({ observers: [metrics] })
    await call('/things/latest')
    await call('/things/latest')
    await call('/things/0x1')
    expect(await samples(metrics, 'remit_requests_total')).toEqual([
      'remit_requests_total{surface="rest",operation="get_latest_thing",status="200",lane="free"} 2',
      'remit_requests_total{surface="rest",operation="get_thing",status="400",lane="free"} 1',
    ])
    expect(await samples(metrics, 'remit_request_duration_seconds_count')).toEqual([
      'remit_request_duration_seconds_count{operation="get_latest_thing"} 2',
      'remit_request_duration_seconds_count{operation="get_thing"} 1',
    ])
  })

  it('have one label for all that is not in the list, however much strangers invent', async () => {
    const metrics = new Metrics('1.2.3')
    const { call } = smallApp({ observers: [metrics] })
    for (let index = 0; index < 50; index += 1) {
      await call(`/invented/${index}?x=${index}`)
      await call(`/things/latest?chainId=${index}`)
      await call('/things/latest', { method: `INVENTED${index}` })
    }
    expect(await samples(metrics, 'remit_requests_total')).toEqual([
      'remit_requests_total{surface="rest",operation="none",status="404",lane="free"} 50',
      'remit_requests_total{surface="rest",operation="none",status="400",lane="free"} 50',
      'remit_requests_total{surface="rest",operation="none",status="405",lane="free"} 50',
    ])
  })

  it('tell of chains by number, of URLs by their place, and of failures by kind', async () => {
    const metrics = new Metrics('1.2.3')
    metrics.upstreamAsked({ chainId: 8453, endpoint: 1, failure: 'timeout', durationMs: 2_000 })
    metrics.upstreamAsked({ chainId: 8453, endpoint: 2, failure: undefined, durationMs: 20 })
    metrics.blockCacheAsked(8453, false)
    metrics.blockCacheAsked(8453, true)
    metrics.blockCacheAsked(8453, true)
    expect(await samples(metrics, 'remit_upstream_requests_total')).toEqual([
      'remit_upstream_requests_total{chain="8453",endpoint="1"} 1',
      'remit_upstream_requests_total{chain="8453",endpoint="2"} 1',
    ])
    expect(await samples(metrics, 'remit_upstream_failures_total')).toEqual([
      'remit_upstream_failures_total{chain="8453",endpoint="1",kind="timeout"} 1',
    ])
    expect(await samples(metrics, 'remit_upstream_duration_seconds_sum')).toEqual([
      'remit_upstream_duration_seconds_sum{chain="8453"} 2.02',
    ])
    expect(await samples(metrics, 'remit_block_cache_reads_total')).toEqual([
      'remit_block_cache_reads_total{chain="8453",result="miss"} 1',
      'remit_block_cache_reads_total{chain="8453",result="hit"} 2',
    ])
  })

  it('tell what the limiter decided by lane, bucket and outcome, and know no bucket but those that there are', async () => {
    const metrics = new Metrics('1.2.3')
    const decided = { lane: 'developer', durationMs: 0.02 } as const
    metrics.limiterDecided({ ...decided, outcome: 'admitted', buckets: ['globalRpm', 'writeRpm'] })
    metrics.limiterDecided({ ...decided, outcome: 'refused', buckets: ['writeRpm'] })
    metrics.limiterDecided({ ...decided, outcome: 'failed', buckets: [] })
    metrics.limiterDecided({ ...decided, outcome: 'refused', buckets: ['invented'] })
    expect(await samples(metrics, 'remit_limiter_decisions_total')).toEqual([
      'remit_limiter_decisions_total{lane="developer",bucket="globalRpm",outcome="admitted"} 1',
      'remit_limiter_decisions_total{lane="developer",bucket="writeRpm",outcome="admitted"} 1',
      'remit_limiter_decisions_total{lane="developer",bucket="writeRpm",outcome="refused"} 1',
      'remit_limiter_decisions_total{lane="developer",bucket="none",outcome="failed"} 1',
      'remit_limiter_decisions_total{lane="developer",bucket="other",outcome="refused"} 1',
    ])
    expect(await samples(metrics, 'remit_limiter_duration_seconds_count')).toEqual([
      'remit_limiter_duration_seconds_count{outcome="admitted"} 1',
      'remit_limiter_duration_seconds_count{outcome="refused"} 2',
      'remit_limiter_duration_seconds_count{outcome="failed"} 1',
    ])
  })

  it('tell of the process: its version, its memory, and how long its event loop is held up', async () => {
    const page = await new Metrics('1.2.3').registry.metrics()
    expect(page).toContain('remit_build_info{version="1.2.3"} 1')
    expect(page).toMatch(/^process_resident_memory_bytes \d+/m)
    expect(page).toMatch(/^nodejs_eventloop_lag_p99_seconds /m)
  })
})

it('gauges are read when they are asked for, and leave out what is not known', async () => {
  const metrics = new Metrics('1.2.3')
  let blockNumber: number | null = null
  let draining = false
  let fullness: number | undefined
  addChainGauges(metrics.registry, {
    chains: () => [
      {
        chainId: 8453,
        confirmed: true,
        misconfigured: null,
        rpc: { ok: true, blockNumber: 120, latencyMs: 30, headAgeSeconds: 4, alarm: null },
      },
      {
        chainId: 84532,
        confirmed: false,
        misconfigured: null,
        rpc: { ok: false, blockNumber: null, latencyMs: null, headAgeSeconds: null, alarm: null },
      },
    ],
    sweep: (chainId) => (chainId === 8453 ? { due: 12, requestsLastHour: 30, requestsPerHour: 600 } : null),
    lookups: (chainId) =>
      chainId === 8453
        ? {
            due: 3,
            lookupsLastHour: 5,
            lookupsPerHour: 600,
            resolverFailingSeconds: { first: 0, second: 90 },
          }
        : null,
    nodeLimits: (chainId) =>
      chainId === 8453
        ? [
            {
              endpoint: 2,
              limits: { batch: { value: 3, source: 'learnt', learntAt: 1 } },
              abilities: { simulateV1: { value: false, source: 'set', learntAt: null } },
            },
          ]
        : [],
    index: (chainId) =>
      chainId === 8453
        ? {
            source: 'rpc',
            ok: true,
            blockNumber,
            lagSeconds: 4,
            synced: false,
            backfill: null,
            approvals: null,
            alarm: null,
          }
        : null,
  })
  addServerGauges(metrics.registry, {
    connections: () => ({ open: 3, evicted: 2, refused: 1 }),
    streams: () => 2,
    draining: () => draining,
    limiterFullness: () => fullness,
  })
  expect(await samples(metrics, 'remit_chain_ok')).toEqual([
    'remit_chain_ok{chain="8453"} 1',
    'remit_chain_ok{chain="84532"} 0',
  ])
  expect(await samples(metrics, 'remit_node_limit')).toEqual([
    'remit_node_limit{chain="8453",endpoint="2",limit="batch"} 3',
  ])
  expect(await samples(metrics, 'remit_node_ability')).toEqual([
    'remit_node_ability{chain="8453",endpoint="2",ability="simulateV1"} 0',
  ])
  expect(await samples(metrics, 'remit_chain_head_block')).toEqual([
    'remit_chain_head_block{chain="8453"} 120',
  ])
  expect(await samples(metrics, 'remit_index_block')).toEqual([])
  expect(await samples(metrics, 'remit_index_lag_seconds')).toEqual([
    'remit_index_lag_seconds{chain="8453"} 4',
  ])
  expect(await samples(metrics, 'remit_index_synced')).toEqual(['remit_index_synced{chain="8453"} 0'])
  expect(await samples(metrics, 'remit_provider_looks_due')).toEqual([
    'remit_provider_looks_due{chain="8453"} 3',
  ])
  expect(await samples(metrics, 'remit_dns_resolver_failing_seconds')).toEqual([
    'remit_dns_resolver_failing_seconds{chain="8453",resolver="first"} 0',
    'remit_dns_resolver_failing_seconds{chain="8453",resolver="second"} 90',
  ])
  expect(await samples(metrics, 'remit_sweep_due')).toEqual(['remit_sweep_due{chain="8453"} 12'])
  expect(await samples(metrics, 'remit_sweep_requests_last_hour')).toEqual([
    'remit_sweep_requests_last_hour{chain="8453"} 30',
  ])
  expect(await samples(metrics, 'remit_connections_evicted_total')).toEqual([
    'remit_connections_evicted_total 2',
  ])
  expect(await samples(metrics, 'remit_streams_open')).toEqual(['remit_streams_open 2'])
  expect(await samples(metrics, 'remit_draining')).toEqual(['remit_draining 0'])
  expect(await samples(metrics, 'remit_limiter_redis_used_ratio')).toEqual([])
  blockNumber = 118
  draining = true
  fullness = 0.5
  expect(await samples(metrics, 'remit_index_block')).toEqual(['remit_index_block{chain="8453"} 118'])
  expect(await samples(metrics, 'remit_connections_evicted_total')).toEqual([
    'remit_connections_evicted_total 2',
  ])
  expect(await samples(metrics, 'remit_draining')).toEqual(['remit_draining 1'])
  expect(await samples(metrics, 'remit_limiter_redis_used_ratio')).toEqual([
    'remit_limiter_redis_used_ratio 0.5',
  ])
})

it('counts what becomes of requests to webhooks, and shows how webhooks stand, whoever delivers', async () => {
  const registry = new Registry()
  const counts = { active: 5, failing: 2, paused: 1, deliverers: 3, waiting: 70, behindSeconds: 61 }
  const onTurn = observedDeliveries(registry, () => ({ health: () => null, standing: () => counts }))
  onTurn({ endings: ['delivered', 'failed', 'delivered'], paused: 'gone' })
  const lines = (await registry.metrics()).split('\n')
  expect(lines).toEqual(
    expect.arrayContaining([
      'remit_webhook_attempts_total{ending="delivered"} 2',
      'remit_webhook_attempts_total{ending="failed"} 1',
      'remit_webhook_pauses_total{reason="gone"} 1',
      'remit_webhook_endpoints{state="active"} 5',
      'remit_webhook_endpoints{state="failing"} 2',
      'remit_webhook_endpoints{state="paused"} 1',
      'remit_webhook_deliverers 3',
      'remit_webhook_deliveries_waiting 70',
      'remit_webhook_behind_seconds 61',
      'remit_webhook_shards 0',
    ]),
  )
})
