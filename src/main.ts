import { loadConfig } from './config.ts'
import type { Environment } from './environment.ts'
import { createLog } from './log.ts'
import { runUntilSignalled } from './runUntilSignalled.ts'
import { secretsOf } from './secretsOf.ts'
import { type RunningService, startService } from './service.ts'

/** The service over the chains of an environment. */
export async function serve(environment: Environment): Promise<RunningService> {
  const config = loadConfig(environment)
  return startService(config, createLog(config.logLevel, { secrets: secretsOf(config) }))
}

if (import.meta.filename === process.argv[1]) {
  await runUntilSignalled(async () => {
    const service = await serve(process.env)
    const base = service.url
    const { indexing } = service
    return {
      ready: `Remit is ready: REST ${base}, MCP ${base}/mcp`,
      failed: indexing.failed,
      indexing,
      close: () => service.close(),
    }
  })
}
