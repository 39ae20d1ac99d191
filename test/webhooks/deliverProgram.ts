import { loadConfig } from '../../src/configuration/loadConfig.ts'
import { createLog } from '../../src/log.ts'
import { runUntilSignalled } from '../../src/runUntilSignalled.ts'
import { startDeliverer } from '../../src/startDeliverer.ts'
import { QUICK_RETRIES } from '../support/webhooks/startDelivering.ts'

// `npm run deliver` with times that are short enough for tests.

await runUntilSignalled(async () => {
  const config = loadConfig(process.env)
  return startDeliverer(config, createLog(config.logLevel, { secrets: [] }), {
    retries: { ...QUICK_RETRIES, giveUpAfterMs: 3_600_000 },
    leaseMs: 1_500,
    timeoutMs: 1_000,
  })
})
