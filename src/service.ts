import packageJson from '../package.json' with { type: 'json' }
import { Identities, LEAST_ADMIN_SECRET_LENGTH } from './access/identity/Identities.ts'
import { DeveloperKeys } from './access/keys/DeveloperKeys.ts'
import { type OpenLimits, openLimits } from './access/limits/openLimits.ts'
import { Chains } from './chain/Chains.ts'
import { ConfigError } from './configuration/ConfigError.ts'
import type { Config } from './configuration/loadConfig.ts'
import { createPipeline } from './core/pipeline.ts'
import type { Log } from './core/ports/log.ts'
import type { ServicePort } from './core/ports/service.ts'
import { createIndexing, type Indexing } from './indexing.ts'
import { observedAuthFailures } from './metrics/observedAuthFailures.ts'
import { observedCharging } from './metrics/observedCharging.ts'
import { type OpenMetrics, openMetrics } from './metrics/openMetrics.ts'
import { createSuggestions } from './operations/createSuggestions.ts'
import { operations } from './operations/index.ts'
import type { Store } from './store/openStore.ts'
import { openStore } from './store/openStore.ts'
import { createApp } from './surfaces/app.ts'
import { createRequestLog } from './surfaces/http/requestLog.ts'
import { openApiDocument } from './surfaces/openapi/openApiDocument.ts'
import { recordedExamples } from './surfaces/openapi/recordedExamples.ts'
import { catalogRoutes } from './surfaces/rest/routes.ts'
import { startServer } from './surfaces/server/server.ts'
import { siteDocuments } from './surfaces/site/siteDocuments.ts'

export const VERSION = packageJson.version

export interface RunningService {
  /** Where it listens, as a client on this machine reaches it. Without a slash at its end. */
  readonly url: string
  readonly port: number
  /** The port of the metrics; `undefined` where they are off. */
  readonly metricsPort: number | undefined
  readonly indexing: Pick<Indexing, 'chainIds' | 'history' | 'failed'>
  /** Resolves once the default chain has answered, and its contract is the protocol's. */
  readonly ready: Promise<void>
  /** Accepts nothing new, finishes running requests within the configured time, and closes all connections. */
  close(): Promise<void>
}

/** What a service gets from its machine. Tests replace it. */
export interface Surroundings {
  /** Unix time in milliseconds. It gives the day where a chain's head is old. Default: the process's clock. */
  readonly wallNow?: () => number
  /** Called with the URL as soon as the service listens, before the indexes have begun. */
  readonly onListening?: (url: string) => void
}

/** Connects all parts and listens. Resolves once requests are answered. */
export async function startService(
  config: Config,
  log: Log,
  surroundings: Surroundings = {},
): Promise<RunningService> {
  const store = await openStore(config.databaseUrl)
  const counting = await openLimits({
    ...config.limits,
    redisUrl: config.redisUrl,
    graceMs: config.limiterGraceSeconds * 1000,
    portalUrl: config.developerPortalUrl,
    developerKeysEnabled: config.developerKeysEnabled,
    log,
  })
  let open: OpenMetrics | undefined
  try {
    open = await openConfiguredMetrics(config)
    return await startOver({ store, counting, open, config, log, ...surroundings })
  } catch (error) {
    await open?.close()
    counting.close()
    await store.close()
    throw error
  }
}

async function openConfiguredMetrics({ host, metricsPort }: Config): Promise<OpenMetrics | undefined> {
  if (metricsPort === undefined) return undefined
  try {
    return await openMetrics({ version: VERSION, host, port: metricsPort })
  } catch (cause) {
    throw new ConfigError(`METRICS_PORT ${metricsPort} cannot be listened on: set another one.`, { cause })
  }
}

interface Opened extends Surroundings {
  readonly store: Store
  readonly counting: OpenLimits
  readonly open: OpenMetrics | undefined
  readonly config: Config
  readonly log: Log
}

async function startOver(opened: Opened): Promise<RunningService> {
  const { store, counting, open, config, log, wallNow, onListening } = opened
  const { host, port, rpcTimeoutMs, defaultChainId } = config
  const metrics = open?.metrics
  const chains = new Chains({
    entries: config.chains,
    defaultChainId,
    rpcTimeoutMs,
    log,
    ...(metrics === undefined ? {} : { observer: metrics }),
    ...(wallNow === undefined ? {} : { wallNow }),
  })
  const indexing = createIndexing({ config, chains, store, log, observer: metrics })
  const { history } = indexing
  const keys = new DeveloperKeys({ store, maxKeysPerSubject: config.maxKeysPerSubject, log })
  warnOfAdminSecret(config, log)
  const { lanes } = config.limits
  let draining = false
  let listening: string | undefined
  let openApi: ReturnType<typeof openApiDocument> | undefined

  const service: ServicePort = {
    version: VERSION,
    get publicUrl() {
      return config.publicUrl ?? listening ?? ''
    },
    apiEnabled: config.apiEnabled,
    developerKeysEnabled: config.developerKeysEnabled,
    limits: { free: lanes.free, developer: config.developerKeysEnabled ? lanes.developer : null },
    chains,
    indexes: history,
    draining: () => draining,
    routes: () => catalogRoutes(operations),
    // Made once, on the first request, because it takes a moment and never changes.
    openApi() {
      openApi ??= openApiDocument(operations, {
        version: VERSION,
        serverUrl: service.publicUrl,
        examples: recordedExamples(),
      })
      return openApi
    },
  }
  const pipeline = createPipeline({
    identities: new Identities({
      keys: config.developerKeysEnabled ? keys : undefined,
      adminSecret: config.developerKeysAdminSecret,
      basicAuth: config.basicAuth,
      trustedProxies: config.trustedProxies,
      authFailures: observedAuthFailures(counting.limits, metrics),
      log,
    }),
    charging: observedCharging(counting.limits, metrics),
    chains,
    history,
    keys,
    service,
  })
  const app = createApp({
    operations,
    pipeline,
    log,
    server: { name: 'remit', version: VERSION },
    host,
    allowedHosts: config.allowedHosts,
    corsOrigins: config.corsOrigins,
    publicUrl: config.publicUrl,
    documents: siteDocuments(operations, service),
    suggestions: createSuggestions(pipeline),
    observers: [createRequestLog(log, { key: config.logIdentityKey }), ...(metrics ? [metrics] : [])],
  })

  const server = await startServer({
    fetch: app.fetch,
    refuse: app.refuse,
    host,
    port,
    limits: config.serverLimits,
    onFull: (maxConnections) => log.warn('There is no room for more connections', { maxConnections }),
  })
  listening = server.url
  onListening?.(server.url)
  // Only after listening: a port that is taken must stop the start before any chain is asked.
  chains.start()
  if (open !== undefined) log.info('Metrics are served', { port: open.port })
  open?.watch({
    chains: () => chains.health(),
    index: (chainId) => history.health(chainId),
    connections: () => server.connections(),
    draining: () => draining,
    limiterFullness: () => counting.fullness(),
  })
  const close = async () => {
    draining = true
    open?.drain()
    const cutOff = await server.close(config.shutdownTimeoutMs)
    if (cutOff > 0) log.warn('Requests were cut off by the shutdown', { cutOff })
    await app.close()
    await indexing.stop()
    chains.stop()
    counting.close()
    await keys.close()
    await store.close()
    await open?.close()
  }
  try {
    await indexing.start()
  } catch (error) {
    await close()
    throw error
  }
  const ready = chains.confirmed(defaultChainId)
  return { url: server.url, port: server.port, metricsPort: open?.port, indexing, ready, close }
}

/** Warns of a secret that is too short. No secret at all is fine: keys can be managed by the command. */
function warnOfAdminSecret(
  { developerKeysEnabled, developerKeysAdminSecret: secret }: Config,
  log: Log,
): void {
  if (!developerKeysEnabled || secret === undefined || secret.length >= LEAST_ADMIN_SECRET_LENGTH) return
  log.warn(
    `DEVELOPER_KEYS_ADMIN_SECRET has fewer than ${LEAST_ADMIN_SECRET_LENGTH} characters: keys cannot be managed over HTTP`,
  )
}
