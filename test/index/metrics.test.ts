import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { loadConfig } from '@remit/service/configuration/loadConfig'
import type { RunningProcess } from '@remit/service/processes/runUntilSignalled'
import { startDeliverer } from '@remit/service/testing/processes/deliverer'
import { startIndexer } from '@remit/service/testing/processes/indexer'
import { afterAll, expect, it } from 'vitest'
import { useTestChain } from '../support/chain/useTestChain.ts'
import { useCountingProxy } from '../support/nodes/countingProxy.ts'
import { runCommand } from '../support/programs/program.ts'
import { useBundle } from '../support/programs/useBundle.ts'
import { environmentOf } from '../support/service/indexer.ts'

const chain = await useTestChain()
const node = await useCountingProxy(chain.url)
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
async function start(program: (log: Parameters<typeof startIndexer>[1]) => Promise<RunningProcess>) {
  const ports: unknown[] = []
  const log = {
    info: (message: string, facts?: object) => {
      if (message === 'Metrics are served' && facts && 'port' in facts) ports.push(facts.port)
    },
    warn() {},
    error() {},
  }
  const { close } = await program(log)
  const ask = (path: string) => fetch(`http://127.0.0.1:${ports[0]}${path}`)
  const scrape = async () => (await ask('/metrics')).text()
  return {
    close,
    scrape,
    says: async (probe: string) => (await ask(`/${probe}`)).status,
    port: String(ports[0]),
  }
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

it('an indexer is ready while it fills or stands by, and no longer where its node is away, although it lives', async () => {
  const overNode = loadConfig({
    ...environmentOf({ ...chain, url: node.url }, `file:${join(folder, 'probed.db')}`),
    HOST: '127.0.0.1',
    METRICS_PORT: '0',
  })
  const program = (log: Parameters<typeof startIndexer>[1]) =>
    startIndexer(overNode, log, { leaseMs: 60_000, stalledAfterMs: 4_000 })
  const first = await start(program)
  const soon = { timeout: 15_000 }
  await expect.poll(() => first.says('ready'), soon).toBe(200)
  const standby = await start(program)
  await expect.poll(() => standby.says('ready'), soon).toBe(200)
  const bundle = await useBundle('packages/service/src/main.ts')
  const env = { HOST: '127.0.0.1', METRICS_PORT: first.port }
  const check = () =>
    runCommand('healthcheck', [process.execPath, bundle, 'check', '--metrics-port'], { env }).ends()
  expect(await check()).toBe(0)

  node.fail({ drop: true })
  await expect.poll(() => first.says('ready'), soon).toBe(503)
  expect([await first.says('live'), await check()]).toEqual([200, 1])
  node.fail({})
  await expect.poll(() => first.says('ready'), { timeout: 40_000 }).toBe(200)
  await first.close()
  await standby.close()
}, 90_000)

it('a deliverer shows what it asks of nodes, and the index that it reads', async () => {
  const { close, scrape } = await start((log) => startDeliverer(config, log))
  await expect.poll(scrape).toContain(`remit_chain_ok{chain="${chainId}"} 1`)
  const text = await scrape()
  expect(text).toMatch(/^remit_upstream_requests_total\{.*\} [1-9]/m)
  expect(text).toContain(`remit_index_block{chain="${chainId}"}`)
  expect(text).not.toContain('remit_sweep_due{')
  await close()
})
