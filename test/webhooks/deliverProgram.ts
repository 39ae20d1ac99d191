import { loadConfig } from '@remit/service/configuration/loadConfig'
import { createLog } from '@remit/service/processes/log'
import { runUntilSignalled } from '@remit/service/processes/runUntilSignalled'
import { startDeliverer } from '@remit/service/testing/processes/deliverer'
import { QUICK_RETRIES } from '../support/webhooks/startDelivering.ts'

// `npm run deliver` with times that are short enough for tests: how long a claim and a request may last, in milliseconds.

const [leaseMs = 1_500, timeoutMs = 1_000] = process.argv.slice(2).map(Number)

await runUntilSignalled(async () => {
  const config = loadConfig(process.env)
  return startDeliverer(config, createLog(config.logLevel, { secrets: [] }), {
    retries: { ...QUICK_RETRIES, giveUpAfterMs: 3_600_000 },
    leaseMs,
    timeoutMs,
  })
})
