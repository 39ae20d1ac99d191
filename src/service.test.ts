import { expect, it } from 'vitest'
import { loadConfig } from './configuration/loadConfig.ts'
import { startService } from './service.ts'

it('names the port of the metrics where it is that of the service', async () => {
  const config = loadConfig({ RPC_URL_8453: 'http://127.0.0.1:9', PORT: '3111', METRICS_PORT: '3111' })
  const log = { info: () => {}, warn: () => {}, error: () => {} }
  await expect(startService(config, log)).rejects.toThrow(
    'METRICS_PORT and PORT are both 3111: set METRICS_PORT to another one.',
  )
})
