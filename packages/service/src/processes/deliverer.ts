import { loadConfig } from '../configuration/loadConfig.ts'
import { misspellings } from '../configuration/misspellings.ts'
import { createLog } from './log.ts'
import { runUntilSignalled } from './runUntilSignalled.ts'
import { secretsOf } from './secretsOf.ts'
import { refuseOptions } from './serve.ts'
import { startDeliverer } from './startDeliverer.ts'

/** `npm run deliver` */
export async function main(args: readonly string[]): Promise<void> {
  await runUntilSignalled(async () => {
    refuseOptions(args)
    const config = loadConfig(process.env)
    const log = createLog(config.logLevel, { secrets: secretsOf(config) })
    for (const sentence of misspellings(process.env)) log.warn(sentence)
    return startDeliverer(config, log)
  })
}
