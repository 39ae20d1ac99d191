import { ConfigError } from '../configuration/ConfigError.ts'

/** What the operator has set for a port: the variable that names it, and how to correct that where it is taken. */
interface Listening {
  readonly variable: 'PORT' | 'METRICS_PORT'
  readonly host: string
  readonly port: number
  readonly whereTaken: string
}

/** Says which variable is wrong where an address cannot be listened on. */
export function cannotListen({ variable, host, port, whereTaken }: Listening, cause: unknown): ConfigError {
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : 'no code'
  if (code === 'EADDRINUSE') return new ConfigError(whereTaken, { cause })
  if (code === 'EACCES') {
    return new ConfigError(`${variable} ${port} is not allowed for this user: set it to 1024 or higher.`, {
      cause,
    })
  }
  return new ConfigError(
    `HOST ${host} cannot be listened on (${code}): set it to an address of this machine, or to 0.0.0.0 for all of them.`,
    { cause },
  )
}
