import { Registry } from 'prom-client'
import { expect, it } from 'vitest'
import { observedDeliveries } from './observedDeliveries.ts'

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
