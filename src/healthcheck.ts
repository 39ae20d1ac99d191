import { ConfigError } from './configuration/ConfigError.ts'
import { type Environment, reader } from './configuration/reader.ts'
import { SERVICE } from './configuration/variables/service.ts'

const TIMEOUT_MS = 2_500
/** A service that listens on all addresses is asked on loopback, because these are no addresses to connect to. */
const ALL_ADDRESSES = ['0.0.0.0', '::']

/** Throws where the service of this environment, on this machine, is not ready. */
async function askReady(environment: Environment): Promise<void> {
  const read = reader(environment)
  const host = read.one(SERVICE.host)
  const asked = ALL_ADDRESSES.includes(host) ? '127.0.0.1' : host
  const url = `http://${asked.includes(':') ? `[${asked}]` : asked}:${read.one(SERVICE.port)}/ready`
  const response = await fetch(url, { signal: AbortSignal.timeout(TIMEOUT_MS) })
  if (!response.ok) throw new Error(`/ready answers ${response.status}.`)
}

try {
  await askReady(process.env)
} catch (error) {
  const why = error instanceof ConfigError ? error.message : `The service is not ready: ${String(error)}`
  process.stderr.write(`${why}\n`)
  process.exitCode = 1
}
