import { parseArgs } from 'node:util'
import { ConfigError } from '../configuration/ConfigError.ts'
import { type Environment, reader } from '../configuration/reader.ts'
import { SERVICE } from '../configuration/variables/service.ts'

/** Half of what the image grants its check, so that the reason is printed before it is stopped. */
const TIMEOUT_MS = 2_500
/** A service that listens on all addresses is asked on loopback, because one cannot connect to 0.0.0.0 or ::. */
const ALL_ADDRESSES = ['0.0.0.0', '::']
/** The option for an indexer or a deliverer, which has no other port. */
const ON_METRICS_PORT = 'metrics-port'

/** Whether the process is asked on its port of metrics. Throws ConfigError for any option but that. */
function isOnMetricsPort(args: readonly string[]): boolean {
  try {
    const { values } = parseArgs({ args: [...args], options: { [ON_METRICS_PORT]: { type: 'boolean' } } })
    return values[ON_METRICS_PORT] === true
  } catch (cause) {
    throw new ConfigError(`The option is --${ON_METRICS_PORT}.`, { cause })
  }
}

/** Asks the process of this environment, on this machine, for `/ready`. Throws where it is not ready. */
async function requireReady(environment: Environment, args: readonly string[]): Promise<void> {
  const read = reader(environment)
  const host = read.one(SERVICE.host)
  const port = read.one(isOnMetricsPort(args) ? SERVICE.metricsPort : SERVICE.port)
  if (port === undefined) throw new ConfigError(`${SERVICE.metricsPort.name} is not set: there is no /ready.`)
  const asked = ALL_ADDRESSES.includes(host) ? '127.0.0.1' : host
  const url = `http://${asked.includes(':') ? `[${asked}]` : asked}:${port}/ready`
  const response = await fetch(url, { signal: AbortSignal.timeout(TIMEOUT_MS) })
  if (!response.ok) throw new Error(`/ready answers ${response.status}.`)
}

/** Sets exit code 1 where the process is not ready. */
export async function main(args: readonly string[]): Promise<void> {
  try {
    await requireReady(process.env, args)
  } catch (error) {
    const why = error instanceof ConfigError ? error.message : `The service is not ready: ${String(error)}`
    process.stderr.write(`${why}\n`)
    process.exitCode = 1
  }
}
