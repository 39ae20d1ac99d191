import { parseArgs } from 'node:util'
import { commandLine } from '../commandLine.ts'
import { ConfigError } from '../configuration/ConfigError.ts'
import { loadConfig } from '../configuration/loadConfig.ts'
import { misspellings } from '../configuration/misspellings.ts'
import type { Environment } from '../configuration/reader.ts'
import { createLog } from './log.ts'
import { secretsOf } from './logLines.ts'
import { runUntilSignalled } from './runUntilSignalled.ts'
import { type RunningService, startService } from './service.ts'

/** The service over the chains of an environment. */
export async function serve(
  environment: Environment,
  onListening?: (url: string) => void,
): Promise<RunningService> {
  const config = loadConfig(environment)
  const log = createLog(config.logLevel, { secrets: secretsOf(config) })
  for (const sentence of misspellings(environment)) log.warn(sentence)
  return startService(config, log, onListening === undefined ? {} : { onListening })
}

/** Throws ConfigError for whatever is given on the command line. */
export function refuseOptions(args: readonly string[]): void {
  try {
    parseArgs({ args: [...args] })
  } catch (cause) {
    const sentence = `It takes no options: the environment configures it. \`${commandLine('doctor', '--start')}\` checks what it needs.`
    throw new ConfigError(sentence, { cause })
  }
}

/** `npm run serve` */
export async function main(args: readonly string[]): Promise<void> {
  await runUntilSignalled(async (say) => {
    refuseOptions(args)
    const service = await serve(process.env, (url) => say(`listening on ${url}`))
    const base = service.url
    const { indexing } = service
    return {
      whenReady: service.ready,
      ready: `Remit is ready: REST ${base}, MCP ${base}/mcp`,
      failed: indexing.failed,
      indexing,
      close: () => service.close(),
    }
  })
}
