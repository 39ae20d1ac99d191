import type { ChainEntry } from '@remit/engine/chain/registry'
import type { Operator } from '@remit/site/page/pageContents'
import type { LimitsConfig } from '../access/limits/Limits.ts'
import type { StreamLimits } from '../calls/OpenStreams.ts'
import type { ServerLimits } from '../surfaces/server/serverLimits.ts'
import { ConfigError, readAll } from './ConfigError.ts'
import type { Variable } from './defineVariable.ts'
import { loadChains } from './loadChains.ts'
import { type Environment, type Reader, reader, type Values } from './reader.ts'
import { BASIC_AUTH, CALLERS, CONNECTIONS, MAX_STREAMS } from './variables/callers.ts'
import { AUTH_FAILURES, CHALLENGES, LANES, NEW_KEYS, STREAMS } from './variables/limits.ts'
import { PORTAL, SECRETS_KEY } from './variables/portal.ts'
import { KEYS, OPERATOR, SERVICE } from './variables/service.ts'
import { WEBHOOKS } from './variables/webhooks.ts'

// `loadConfig` turns the environment's variables into one `Config` for the service, the indexer, the deliverer and the doctor. Each
// variable is declared in `variables/`; here are the rules between several of them, one function for each part of the config.

/** Variables for managing keys, for the service and for `npm run keys`. */
type KeysConfig = Values<typeof KEYS>

/** All settings. A setting that one variable decides has that variable's name in `variables/`; those below are made of several. */
export interface Config
  extends Values<typeof SERVICE>,
    Values<typeof CALLERS>,
    Values<typeof WEBHOOKS>,
    Values<typeof PORTAL>,
    KeysConfig {
  readonly chains: readonly ChainEntry[]
  readonly operator: Operator | null
  /** The user and the password that every request must send by Basic Auth; `undefined` where none has to. */
  readonly basicAuth: { readonly user: string; readonly password: string } | undefined
  /** The first encrypts secrets in the store, all of them decrypt. Always there while webhooks, passes or rescues are on: these keep some. */
  readonly secretsKeys: readonly string[] | undefined
  readonly limits: LimitsConfig
  readonly serverLimits: ServerLimits
  readonly streamLimits: StreamLimits
}

/** Reads the configuration. Throws ConfigError with a sentence for every variable that is wrong, naming it. */
export function loadConfig(environment: Environment): Config {
  const read = reader(environment)
  const { service, callers, keys, webhooks, portal, limits, ...rest } = readAll({
    service: () => read.all(SERVICE),
    chains: () => loadChains(environment),
    callers: () => read.all(CALLERS),
    keys: () => read.all(KEYS),
    webhooks: () => read.all(WEBHOOKS),
    portal: () => readPortal(read),
    operator: () => readOperator(read),
    basicAuth: () => readBasicAuth(read),
    secretsKeys: () => readSecretsKeys(read),
    limits: () => readLimits(read),
    serverLimits: () => readServerLimits(read),
    streamLimits: () => readStreamLimits(read),
  })
  return { ...service, ...callers, ...keys, ...webhooks, ...portal, ...rest, limits }
}

/** The part of the configuration that `npm run keys` needs. Throws ConfigError as `loadConfig` does. */
export function loadKeysConfig(environment: Environment): KeysConfig {
  return reader(environment).all(KEYS)
}

/** What a wallet signs to sign in names one site. So where wallets can sign in, a service that others can reach must know its public URL. */
function readPortal(read: Reader): Values<typeof PORTAL> {
  const values = read.all(PORTAL)
  const { portal, portalWallets } = values
  /** The variable that lets wallets sign in, if any does. */
  const needing =
    portal === 'off' ? [PORTAL.passes, PORTAL.rescues].find((one) => read.one(one)) : PORTAL.portal
  const isPrivate = /^(localhost|127\.|::1$)/.test(read.one(SERVICE.host))
  if (needing !== undefined && read.one(SERVICE.publicUrl) === undefined && !isPrivate) {
    throw new ConfigError(
      `${SERVICE.publicUrl.name} is not set, but ${needing.name} needs it: wallets sign in for one address.`,
    )
  }
  if (portal === 'allowlist' && portalWallets === undefined) {
    throw new ConfigError(`${PORTAL.portalWallets.name} is not set, but ${PORTAL.portal.name} asks for it.`)
  }
  return values
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

function readStreamLimits(read: Reader): StreamLimits {
  const { most, connections } = readAll({
    most: () => read.one(MAX_STREAMS),
    connections: () => read.one(CONNECTIONS.maxConnections),
  })
  if (most !== undefined && most >= connections) {
    throw new ConfigError(
      `${MAX_STREAMS.name} (${most}) must be less than ${CONNECTIONS.maxConnections.name} (${connections}): the rest is for requests that are answered at once.`,
    )
  }
  return { ...read.all(STREAMS), inAll: most ?? Math.floor(connections / 2) }
}

/** The features that keep secrets in the store while they are on. */
const KEEPING_SECRETS: readonly Variable<boolean>[] = [WEBHOOKS.webhooks, PORTAL.passes, PORTAL.rescues]

function readSecretsKeys(read: Reader): Config['secretsKeys'] {
  const keys = read.one(SECRETS_KEY)
  const keeping = KEEPING_SECRETS.find((variable) => read.one(variable))
  if (keys !== undefined || keeping === undefined) return keys
  throw new ConfigError(
    `${SECRETS_KEY.name} is not set, but ${keeping.name} needs it: make one with openssl rand -base64 32.`,
  )
}

function readOperator(read: Reader): Operator | null {
  const { name, contact } = read.all(OPERATOR)
  if (name !== undefined) return { name, contact: contact ?? null }
  if (contact === undefined) return null
  throw new ConfigError(`${OPERATOR.name.name} is not set, but ${OPERATOR.contact.name} is: whose is it?`)
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

function readLimits(read: Reader): LimitsConfig {
  const { free, developer, ...rest } = readAll({
    free: () => read.all(LANES.free),
    developer: () => read.all(LANES.developer),
    authFailuresRpm: () => read.one(AUTH_FAILURES),
    newKeysDaily: () => read.one(NEW_KEYS),
    challengesDaily: () => read.one(CHALLENGES),
  })
  return { lanes: { free, developer }, ...rest }
}

/**
 * The variables, with their values, that set every lane's limits and that of challenges to `factor` times the defaults: for the
 * development chain (`npm start`) and for tests, where one machine makes the calls of many.
 */
export function multipliedLimits(factor: number): Record<string, string> {
  const limits = Object.values(LANES).flatMap((lane) => Object.values(lane))
  return Object.fromEntries(
    [...limits, CHALLENGES].map(({ name, fallback }) => [name, String(fallback * factor)]),
  )
}
