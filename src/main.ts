import { parseArgs } from 'node:util'
import { checkService } from './checkService.ts'
import { ConfigError } from './configuration/ConfigError.ts'
import { loadConfig } from './configuration/loadConfig.ts'
import { misspellings } from './configuration/misspellings.ts'
import type { Environment } from './configuration/reader.ts'
import { createLog } from './log.ts'
import { runUntilSignalled } from './runUntilSignalled.ts'
import { secretsOf } from './secretsOf.ts'
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

/** `--check`: checks all that a start needs, and starts nothing. */
function isCheck(): boolean {
  try {
    return parseArgs({ options: { check: { type: 'boolean' } } }).values.check ?? false
  } catch (cause) {
    throw new ConfigError('The only option is --check.', { cause })
  }
}

async function printCheck(): Promise<never> {
  const findings = await checkService(process.env)
  process.stdout.write(findings.map(({ line }) => `${line}\n`).join(''))
  process.exit(findings.every(({ ok }) => ok) ? 0 : 1)
}

if (import.meta.filename === process.argv[1]) {
  await runUntilSignalled(async (say) => {
    if (isCheck()) return await printCheck()
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
