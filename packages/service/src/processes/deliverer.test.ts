import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '@remit/testing/support/service/freePort'
import { serve } from '@remit/testing/support/service/serve'
import Database from 'libsql'
import { afterAll, expect, it } from 'vitest'
import { loadConfig } from '../configuration/loadConfig.ts'
import { startDeliverer } from './deliverer.ts'

const folder = mkdtempSync(join(tmpdir(), 'remit-deliverer-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
const log = { info: () => {}, warn: () => {}, error: () => {} }

it('is ready while its loops work, and no longer when they only fail, although it lives', async () => {
  const path = join(folder, 'remit.db')
  const port = await freePort()
  const config = loadConfig({
    RPC_URL_8453: 'http://127.0.0.1:9',
    HOST: '127.0.0.1',
    METRICS_PORT: String(port),
    DATABASE_URL: `file:${path}`,
    WEBHOOKS: 'true',
    SECRETS_KEY: '11'.repeat(32),
  })
  const deliverer = await startDeliverer(config, log, { leaseMs: 600, stalledAfterMs: 2_000 })
  const says = async (probe: string) => (await fetch(`http://127.0.0.1:${port}/${probe}`)).status
  const soon = { timeout: 10_000 }
  await expect.poll(() => says('ready'), soon).toBe(200)
  const store = new Database(path)
  // As when somebody restores half of a backup: everything that it asks of the store fails.
  store.exec('alter table webhook_deliverers rename to elsewhere')
  await expect.poll(() => says('ready'), soon).toBe(503)
  expect(await says('live')).toBe(200)
  store.exec('alter table elsewhere rename to webhook_deliverers')
  await expect.poll(() => says('ready'), soon).toBe(200)
  store.close()
  await deliverer.close()
})

it('says which variable to change where the port of the metrics is taken', async () => {
  const { port } = new URL(await serve(() => {}))
  const config = loadConfig({
    RPC_URL_8453: 'http://127.0.0.1:9',
    HOST: '127.0.0.1',
    METRICS_PORT: port,
    WEBHOOKS: 'true',
    SECRETS_KEY: '11'.repeat(32),
  })
  await expect(startDeliverer(config, log)).rejects.toThrow(`METRICS_PORT ${port} cannot be listened on`)
})
