import type { Log } from '@remit/engine/ports/log'
import packageJson from '../../package.json' with { type: 'json' }
import type { Config } from '../configuration/loadConfig.ts'
import { type OpenMetrics, openMetrics } from '../metrics/openMetrics.ts'
import type { WorkPulse } from '../metrics/WorkPulse.ts'
import { cannotListen } from './cannotListen.ts'

/** The metrics of a process, where it has a port for them. Throws ConfigError where they cannot be listened on. */
export async function openConfiguredMetrics(
  { host, metricsPort, allowedHosts }: Pick<Config, 'host' | 'metricsPort' | 'allowedHosts'>,
  log: Log,
  pulse?: WorkPulse,
): Promise<OpenMetrics | undefined> {
  if (metricsPort === undefined) return undefined
  try {
    const { version } = packageJson
    const open = await openMetrics({ version, host, port: metricsPort, allowedHosts, pulse })
    log.info('Metrics are served', { port: open.port })
    return open
  } catch (cause) {
    const whereTaken = `METRICS_PORT ${metricsPort} cannot be listened on: each process on a machine needs one of its own.`
    throw cannotListen({ variable: 'METRICS_PORT', host, port: metricsPort, whereTaken }, cause)
  }
}
