import { Chains } from '@remit/engine/chain/Chains'
import type { ForecastTimes } from '@remit/engine/chain/Forecasts'
import { devChainOf } from '@remit/engine/chain/registry'
import type { Forecaster } from '@remit/engine/ports/forecasts'
import type { Log } from '@remit/engine/ports/log'
import packageJson from '../../package.json' with { type: 'json' }
import { Identities, LEAST_ADMIN_SECRET_LENGTH } from '../access/identity/Identities.ts'
import { DeveloperKeys, OwnKeys } from '../access/keys/DeveloperKeys.ts'
import { type OpenLimits, openLimits } from '../access/limits/openLimits.ts'
import { StoreAccess } from '../access/StoreAccess.ts'
import { OpenStreams } from '../calls/OpenStreams.ts'
import { createPipeline } from '../calls/pipeline.ts'
import { tracedChains } from '../calls/RequestTrace.ts'
import { sessionCookie } from '../calls/sessionCookie.ts'
import { ConfigError } from '../configuration/ConfigError.ts'
import type { Config } from '../configuration/loadConfig.ts'
import { ForecastThread } from '../forecasting/ForecastThread.ts'
import { Incidents } from '../health/Incidents.ts'
import { troublesOf } from '../health/troubles.ts'
import { observedDeliveries } from '../metrics/observedDeliveries.ts'
import type { OpenMetrics } from '../metrics/openMetrics.ts'
import { operations } from '../operations/index.ts'
import type { ServicePort } from '../ports/service.ts'
import { Rescues } from '../rescues/Rescues.ts'
import { openStore, type Store } from '../store/openStore.ts'
import { SecretBox } from '../store/SecretBox.ts'
import { createApp } from '../surfaces/app.ts'
import { createRequestLog } from '../surfaces/http/requestLog.ts'
import { createSuggestions } from '../surfaces/mcp/prompts.ts'
import { recordedExamples } from '../surfaces/openapi/examples.ts'
import { openApiDocument } from '../surfaces/openapi/openApiDocument.ts'
import { catalogRoutes } from '../surfaces/rest/routes.ts'
import { startServer } from '../surfaces/server/server.ts'
import { createPages } from '../surfaces/site/pages/createPages.ts'
import { sitePages } from '../surfaces/site/pages/declared.ts'
import { readSiteFiles } from '../surfaces/site/pages/siteFiles.ts'
import { siteDocuments } from '../surfaces/site/siteDocuments.ts'
import { cannotListen } from './cannotListen.ts'
import { createDelivering } from './createDelivering.ts'
import { chainsState, createIndexing, type Indexing } from './createIndexing.ts'
import { createPortal } from './createPortal.ts'
import { OwnAddress } from './OwnAddress.ts'
import { openConfiguredMetrics } from './openConfiguredMetrics.ts'
import { openNodeSocket } from './openNodeSocket.ts'

// Puts a whole service together and runs it in this process: `serve`, `npm start` and tests call `startService`.

const VERSION = packageJson.version

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
  /** Makes forecasts, from whatever `chains` say. Default: a thread of its own does, and answers what takes long. */
  readonly forecaster?: (chains: () => Chains) => Forecaster
  /** How often forecasts are made, and how long they are waited for. */
  readonly forecastTimes?: Partial<ForecastTimes>
  /** Called with the URL as soon as the service listens, before the indexes have begun. */
  readonly onListening?: (url: string) => void
}

/** Connects all parts and listens. Resolves once requests are answered. */
export async function startService(
  config: Config,
  log: Log,
  surroundings: Surroundings = {},
): Promise<RunningService> {
  const { port, metricsPort } = config
  // Here and not with the other variables: a process without callers has no use for PORT.
  if (port !== 0 && metricsPort === port) {
    throw new ConfigError(`METRICS_PORT and PORT are both ${port}: set METRICS_PORT to another one.`)
  }
  const store = await openStore(config.databaseUrl, log)
  const address = new OwnAddress(config.publicUrl)
  let open: OpenMetrics | undefined
  const counting = await openLimits({
    ...config.limits,
    redisUrl: config.redisUrl,
    graceMs: config.limiterGraceSeconds * 1000,
    portalUrl: () => portalUrlOf(config, address),
    developerKeysEnabled: config.developerKeysEnabled,
    asksBasicAuth: config.basicAuth !== undefined,
    observer: { limiterDecided: (decision) => open?.metrics.limiterDecided(decision) },
    log,
  })
  try {
    open = await openConfiguredMetrics(config, log)
    return await connectAndListen({ store, address, counting, open, config, log, ...surroundings })
  } catch (error) {
    await open?.close()
    counting.close()
    await store.close()
    throw error
  }
}

interface Opened extends Surroundings {
  readonly store: Store
  readonly address: OwnAddress
  readonly counting: OpenLimits
  readonly open: OpenMetrics | undefined
  readonly config: Config
  readonly log: Log
}

/** Wires chains, index and webhooks; then who may call; then the app; then listens and starts all. Closes all again where that fails. */
async function connectAndListen(opened: Opened): Promise<RunningService> {
  const { store, address, counting, open, config, log, wallNow = Date.now, onListening } = opened
  const { host, port, rpcTimeoutMs, idleAfterSeconds, defaultChainId } = config
  const metrics = open?.metrics
  const thread = new ForecastThread({
    entries: config.chains,
    rpcTimeoutMs,
    log,
    observer: metrics,
  })
  const { forecaster = () => thread, forecastTimes } = opened
  const access = new StoreAccess(log)
  const rescues = createRescues({ config, store, access, log })
  const chains: Chains = new Chains({
    entries: config.chains,
    defaultChainId,
    rpcTimeoutMs,
    idleAfterMs: idleAfterSeconds === 0 ? Number.POSITIVE_INFINITY : idleAfterSeconds * 1_000,
    log,
    observer: tracedChains(metrics),
    openSocket: openNodeSocket,
    wallNow,
    forecaster: forecaster(() => chains),
    threadAnswers: opened.forecaster === undefined ? thread : undefined,
    outstandingPermits: rescues?.outstanding,
    ...(forecastTimes === undefined ? {} : { forecastTimes }),
  })
  const indexing = createIndexing({ config, chains, store, log, observer: metrics })
  const { history } = indexing
  const delivering = createDelivering({
    config,
    chains,
    indexing,
    store,
    access,
    version: VERSION,
    log,
    onTurn: metrics && observedDeliveries(metrics.registry, () => delivering),
  })
  const keys = new DeveloperKeys({
    store,
    access,
    maxKeysPerSubject: config.maxKeysPerSubject,
    graceMs: config.developerKeysGraceSeconds * 1_000,
  })
  warnOfAdminSecret(config, log)
  const { lanes } = config.limits
  const { sessions, passes } = createPortal({ config, store, access, chains, address, log, now: wallNow })
  const cookie = sessionCookie(config.publicUrl?.startsWith('https:') ?? false)
  let draining = false
  let openApi: ReturnType<typeof openApiDocument> | undefined

  const incidents = new Incidents(() => troublesOf(service))
  const service: ServicePort = {
    version: VERSION,
    get publicUrl() {
      return address.url
    },
    operator: config.operator,
    apiEnabled: config.apiEnabled,
    developerKeysEnabled: config.developerKeysEnabled,
    asksBasicAuth: config.basicAuth !== undefined,
    limits: { free: lanes.free, developer: config.developerKeysEnabled ? lanes.developer : null },
    chains,
    indexes: history,
    webhooks: () => delivering.standing(),
    startedAt: Math.floor(Date.now() / 1000),
    incidents: (most) => incidents.recent(most),
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
  const streams = new OpenStreams(config.streamLimits)
  const pipeline = createPipeline({
    identities: new Identities({
      keys: config.developerKeysEnabled ? keys : undefined,
      adminSecret: config.developerKeysAdminSecret,
      basicAuth: config.basicAuth,
      trustedProxies: config.trustedProxies,
      authFailures: counting.limits,
      portal: { sessions, cookie },
      log,
    }),
    charging: counting.limits,
    chains,
    history,
    events: indexing.events,
    keys,
    portal: {
      sessions,
      passes,
      usage: counting.limits,
      newKeys: counting.limits,
      ownKeys: (owner) => new OwnKeys(keys, owner, counting.limits),
    },
    service,
    webhooks: delivering.webhooks,
    challenges: counting.limits,
    rescuesOf: rescues && ((caller) => rescues.of(caller)),
    streams,
  })
  const files = readSiteFiles()
  const { walletConnectProjectId, testWallets } = config
  const pages =
    files &&
    createPages({
      pages: sitePages,
      files,
      service,
      chains,
      indexes: history,
      walletConnectProjectId,
      keepsRescues: rescues !== undefined,
      devChain: devChainOf(config.chains),
      testWallets,
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
    cookie,
    documents: [...siteDocuments(operations, service, files?.of('home')), ...(files?.documents ?? [])],
    pages,
    suggestions: createSuggestions(pipeline),
    events: indexing.events,
    observers: [createRequestLog(log, { key: config.logIdentityKey }), ...(metrics ? [metrics] : [])],
  })

  const server = await startServer({
    fetch: app.fetch,
    repeat: app.repeat,
    refuse: app.refuse,
    host,
    port,
    limits: config.serverLimits,
    onFull: (maxConnections) => log.warn('There is no room for more connections', { maxConnections }),
  }).catch((cause: unknown) => {
    const whereTaken = `The service's port is taken (${port}): set PORT to another one, or to 0 for any free one.`
    throw cannotListen({ variable: 'PORT', host, port, whereTaken }, cause)
  })
  address.listensAt(server.url)
  onListening?.(server.url)
  // Only now that it listens: a taken port must stop the start before any chain is asked.
  chains.start()
  incidents.start()
  open?.watchChains(chainsState(chains, indexing))
  open?.watchServer({
    connections: () => server.connections(),
    streams: () => streams.count,
    draining: () => draining,
    limiterFullness: () => counting.fullness(),
  })
  // First no new work (`/ready` says so, streams end), then the requests that run, then what they used, in the reverse order of above.
  const close = async () => {
    draining = true
    open?.drain()
    // Streams and long polls end now, and say where to go on.
    await indexing.events.close()
    const cutOff = await server.close(config.shutdownTimeoutMs)
    if (cutOff > 0) log.warn('Requests were cut off by the shutdown', { cutOff })
    await app.close()
    await delivering.stop()
    await indexing.stop()
    incidents.stop()
    chains.stop()
    await thread.close()
    counting.close()
    await keys.close()
    await store.close()
    await open?.close()
  }
  try {
    await indexing.start()
    await delivering.start()
  } catch (error) {
    await close()
    throw error
  }
  const ready = chains.confirmed(defaultChainId)
  return { url: server.url, port: server.port, metricsPort: open?.port, indexing, ready, close }
}

/** Where developers get keys, for errors at a limit; `undefined` where callers cannot get one by themselves. */
function portalUrlOf({ developerPortalUrl, portal }: Config, address: OwnAddress): string | undefined {
  return developerPortalUrl ?? (portal === 'open' ? `${address.url}/portal` : undefined)
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

/** The permits that are kept; `undefined` where the operator has not switched rescues on. */
function createRescues(options: {
  readonly config: Pick<Config, 'rescues' | 'secretsKeys' | 'webhooks'>
  readonly store: Store
  readonly access: StoreAccess
  readonly log: Log
}): Rescues | undefined {
  const { config, ...rest } = options
  const [secret] = config.secretsKeys ?? []
  if (!config.rescues || config.secretsKeys === undefined || secret === undefined) return undefined
  return new Rescues({ ...rest, box: new SecretBox(config.secretsKeys), secret, webhooks: config.webhooks })
}
