import { expect, it } from 'vitest'
import { serve } from '../test/support/service/serve.ts'
import { loadConfig } from './configuration/loadConfig.ts'
import { startDeliverer } from './startDeliverer.ts'

it('says which variable to change where the port of the metrics is taken', async () => {
  const { port } = new URL(await serve(() => {}))
  const config = loadConfig({
    RPC_URL_8453: 'http://127.0.0.1:9',
    HOST: '127.0.0.1',
    METRICS_PORT: port,
    WEBHOOKS: 'true',
    SECRETS_KEY: '11'.repeat(32),
  })
  const log = { info: () => {}, warn: () => {}, error: () => {} }
  await expect(startDeliverer(config, log)).rejects.toThrow(`METRICS_PORT ${port} cannot be listened on`)
})
