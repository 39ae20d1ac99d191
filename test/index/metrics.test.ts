import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { loadConfig } from '../../src/configuration/loadConfig.ts'
import { startIndexer } from '../../src/indexer.ts'
import type { Running } from '../../src/runUntilSignalled.ts'
import { startDeliverer } from '../../src/startDeliverer.ts'
import { useTestChain } from '../support/chain/useTestChain.ts'
import { environmentOf } from '../support/service/indexer.ts'

const chain = await useTestChain()
const folder = mkdtempSync(join(tmpdir(), 'remit-metrics-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
const { chainId } = chain

const config = loadConfig({
  ...environmentOf(chain, `file:${join(folder, 'remit.db')}`),
  SWEEP_REQUESTS_PER_HOUR: '600',
  HOST: '127.0.0.1',
  METRICS_PORT: '0',
  WEBHOOKS: 'true',
  SECRETS_KEY: '11'.repeat(32),
})

/** Starts a process with a port for metrics. Resolves with it and with how to read them. */
async function start(program: (log: Parameters<typeof startIndexer>[1]) => Promise<Running>) {
  const ports: unknown[] = []
  const log = {
    info: (message: string, facts?: object) => {
      if (message === 'Metrics are served' && facts && 'port' in facts) ports.push(facts.port)
    },
    warn() {},
    error() {},
  }
  const { close } = await program(log)
  return { close, scrape: async () => (await fetch(`http://127.0.0.1:${ports[0]}/metrics`)).text() }
}

it('an indexer shows what it asks of nodes, its index and its sweep', async () => {
  const { close, scrape } = await start((log) => startIndexer(config, log))
  await expect.poll(scrape).toContain(`remit_index_synced{chain="${chainId}"} 1`)
  const text = await scrape()
  expect(text).toContain(`remit_sweep_requests_per_hour{chain="${chainId}"} 600`)
  expect(text).toMatch(/^remit_upstream_requests_total\{.*\} [1-9]/m)
  // It has no server that could have connections.
  expect(text).not.toContain('remit_connections_open')
  await close()
  await expect(scrape()).rejects.toThrow()
})

it('a deliverer shows what it asks of nodes, and the index that it reads', async () => {
  const { close, scrape } = await start((log) => startDeliverer(config, log))
  await expect.poll(scrape).toContain(`remit_chain_ok{chain="${chainId}"} 1`)
  const text = await scrape()
  expect(text).toMatch(/^remit_upstream_requests_total\{.*\} [1-9]/m)
  expect(text).toContain(`remit_index_block{chain="${chainId}"}`)
  expect(text).not.toContain('remit_sweep_due{')
  await close()
})
