import type { LimitsConfig } from '../access/limits/Limits.ts'
import type { ChainEntry } from '../chain/registry.ts'
import type { ServerLimits } from '../surfaces/server/serverLimits.ts'
import { ConfigError, readAll } from './ConfigError.ts'
import type { Variable } from './defineVariable.ts'
import { loadChains } from './loadChains.ts'
import { type Environment, type Reader, reader, type Values } from './reader.ts'
import { readLimits } from './readLimits.ts'
import { BASIC_AUTH, CALLERS, CONNECTIONS } from './variables/callers.ts'
import { KEYS, SERVICE } from './variables/service.ts'

/** What managing keys takes, with the service or without it. */
export type KeysConfig = Values<typeof KEYS>

/** Everything that the environment decides: what single variables say under their names there, and the rest. */
export interface Config extends Values<typeof SERVICE>, Values<typeof CALLERS>, KeysConfig {
  readonly chains: readonly ChainEntry[]
  /** What every request must show; `undefined`: nothing. */
  readonly basicAuth: { readonly user: string; readonly password: string } | undefined
  readonly limits: LimitsConfig
  readonly serverLimits: ServerLimits
}

/** Reads the configuration. Throws ConfigError with a sentence for every variable that is wrong, naming it. */
export function loadConfig(environment: Environment): Config {
  const read = reader(environment)
  const { service, callers, keys, limits, ...rest } = readAll({
    service: () => read.all(SERVICE),
    chains: () => loadChains(environment),
    callers: () => read.all(CALLERS),
    keys: () => read.all(KEYS),
    basicAuth: () => readBasicAuth(read),
    limits: () => readLimits(read),
    serverLimits: () => readServerLimits(read),
  })
  return { ...service, ...callers, ...keys, ...rest, limits }
}

/** Throws ConfigError as `loadConfig` does. */
export function loadKeysConfig(environment: Environment): KeysConfig {
  return reader(environment).all(KEYS)
}

function readServerLimits(read: Reader): ServerLimits {
  const limits = read.all(CONNECTIONS)
  const { headersTimeoutMs, requestTimeoutMs } = limits
  if (headersTimeoutMs > requestTimeoutMs) {
    throw new ConfigError(
      `${CONNECTIONS.headersTimeoutMs.name} (${headersTimeoutMs}) must not be longer than ${CONNECTIONS.requestTimeoutMs.name} (${requestTimeoutMs}).`,
    )
  }
  return limits
}

function readBasicAuth(read: Reader): Config['basicAuth'] {
  if (!read.one(BASIC_AUTH.required)) return undefined
  const required = (variable: Variable<string | undefined>) => {
    const value = read.one(variable)
    if (value !== undefined) return value
    throw new ConfigError(`${variable.name} is not set, but ${BASIC_AUTH.required.name} asks for it.`)
  }
  return readAll({
    user: () => required(BASIC_AUTH.user),
    password: () => required(BASIC_AUTH.password),
  })
}
