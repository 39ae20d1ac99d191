import { AsyncLocalStorage } from 'node:async_hooks'
import type { Chains } from '@remit/engine/chain/Chains'
import type { AnswersPort } from '@remit/engine/declare/chainAnswers'
import type { ChainOperation } from '@remit/engine/declare/operation'
import { openChains, WITHOUT_INDEX } from '@remit/engine/direct/openDirect'
import type { ChainsPort } from '@remit/engine/ports/chains'
import * as z from 'zod'
import packageJson from '../../../package.json' with { type: 'json' }
import { Identities } from '../../access/identity/Identities.ts'
import { Limits } from '../../access/limits/Limits.ts'
import { MemoryCounters } from '../../access/limits/MemoryCounters.ts'
import { createPipeline } from '../../calls/pipeline.ts'
import { tracedChains } from '../../calls/RequestTrace.ts'
import { type AbsentOperation, defineServiceOperation } from '../../calls/serviceOperation.ts'
import { sessionCookie } from '../../calls/sessionCookie.ts'
import { ConfigError } from '../../configuration/ConfigError.ts'
import { loadConfig } from '../../configuration/loadConfig.ts'
import { getCatalog, getOpenApi, listChains } from '../../operations/service.ts'
import type { ServicePort } from '../../ports/service.ts'
import { createApp } from '../../surfaces/app.ts'
import { createRequestLog } from '../../surfaces/http/requestLog.ts'
import { openApiDocument } from '../../surfaces/openapi/openApiDocument.ts'
import { catalogRoutes } from '../../surfaces/rest/routes.ts'
import { noWebhooks } from '../../webhooks/noWebhooks.ts'
import { linesFrom, lineWriter, secretsOf } from '../logLines.ts'

const { version: VERSION } = packageJson

/** The most callers whose limits are counted. They take 10 MB at most: platforms give a worker 128 MB. */
const MAX_IDENTITIES = 10_000

/** The interface by which platforms at the edge (Cloudflare Workers and others like it) call a worker. */
export interface Worker {
  /** @param bindings the environment of the platform: its texts are the variables */
  fetch(request: Request, bindings: Readonly<Record<string, unknown>>): Promise<Response>
}

/**
 * The worker for the edge: what a chain alone answers, without an index, keys or a store.
 *
 * Its first request brings the environment, by which everything is set up, once. Where the environment is wrong, every request throws
 * ConfigError.
 * @param answered the operations that a chain alone answers
 * @param absent all others that a service has: a request for one gets 501
 */
export function createWorker(
  answered: readonly ChainOperation[],
  absent: readonly AbsentOperation[],
): Worker {
  let answer: ((request: Request) => Promise<Response>) | undefined
  return {
    async fetch(request, bindings) {
      answer ??= open(answered, absent, bindings)
      return answer(request)
    },
  }
}

/** Sets the worker up: the same app as a service's, over chains of each request, with neither index nor keys. */
function open(
  answered: readonly ChainOperation[],
  absent: readonly AbsentOperation[],
  bindings: Readonly<Record<string, unknown>>,
): (request: Request) => Promise<Response> {
  const config = loadConfig(variablesIn(bindings))
  const { publicUrl, limits, defaultChainId, basicAuth, edgeAddressHeader } = config
  if (publicUrl === undefined) {
    throw new ConfigError('PUBLIC_URL is not set: a worker does not know the address at which it is reached.')
  }
  const textOf = lineWriter(secretsOf(config))
  // On these platforms, a worker's console is its log.
  const log = linesFrom(config.logLevel, (line) => console.log(textOf([line]).trimEnd()))
  const chains = new RequestChains(() =>
    openChains({
      entries: config.chains,
      defaultChainId,
      rpcTimeoutMs: config.rpcTimeoutMs,
      log,
      observer: tracedChains(),
    }),
  )
  const counting = new Limits({
    ...limits,
    counters: new MemoryCounters({ maxIdentities: MAX_IDENTITIES }),
    portalUrl: () => undefined,
    developerKeysEnabled: false,
    asksBasicAuth: basicAuth !== undefined,
  })
  const operations = [getFront, getCatalog, getOpenApi, listChains, ...answered]
  let openApi: ReturnType<typeof openApiDocument> | undefined
  const service: ServicePort = {
    version: VERSION,
    publicUrl,
    operator: config.operator,
    apiEnabled: config.apiEnabled,
    developerKeysEnabled: false,
    asksBasicAuth: basicAuth !== undefined,
    limits: { free: limits.lanes.free, developer: null },
    chains,
    indexes: WITHOUT_INDEX.history,
    webhooks: () => null,
    startedAt: Math.floor(Date.now() / 1000),
    incidents: () => [],
    draining: () => false,
    routes: () => catalogRoutes(operations),
    openApi() {
      // Recorded examples are as large as a tenth of the worker.
      const examples = { operations: {}, errors: [], headers: {}, events: {} }
      openApi ??= openApiDocument(operations, { version: VERSION, serverUrl: publicUrl, examples })
      return openApi
    },
  }
  const pipeline = createPipeline({
    identities: new Identities({
      keys: undefined,
      adminSecret: undefined,
      basicAuth,
      // The platform's header says who calls, and nothing in front of it is asked.
      trustedProxies: [],
      authFailures: counting,
      log,
    }),
    charging: counting,
    chains,
    ...WITHOUT_INDEX,
    service,
    webhooks: noWebhooks,
    answers: UNSHARED,
  })
  const app = createApp({
    operations,
    absent,
    pipeline,
    log,
    server: { name: 'remit', version: VERSION },
    // The platform listens, not this process. So no name is refused, except by ALLOWED_HOSTS.
    host: '0.0.0.0',
    allowedHosts: config.allowedHosts,
    corsOrigins: config.corsOrigins,
    publicUrl,
    cookie: sessionCookie(false),
    // None, because those that a service makes are shared between requests.
    suggestions: { of: async () => [] },
    events: WITHOUT_INDEX.events,
    observers: [createRequestLog(log, { key: config.logIdentityKey })],
  })
  return (request) => {
    const remoteAddress = request.headers.get(edgeAddressHeader) ?? undefined
    return chains.during(() => app.fetch(uncompressed(request), { remoteAddress }))
  }
}

/**
 * The chains, for code that is shared by all requests: each call is passed on to the chains of the request that makes it. Platforms
 * forbid that one request waits for what another one has asked, so each request has chains of its own, and asks for the newest block
 * itself.
 */
class RequestChains implements ChainsPort {
  readonly rows: ChainsPort['rows']
  readonly defaultChainId: number
  readonly #open: () => Chains
  readonly #running = new AsyncLocalStorage<Chains>()

  /** @param openChainsOfRequest is called once for each request */
  constructor(openChainsOfRequest: () => Chains) {
    const { rows, defaultChainId } = openChainsOfRequest()
    this.rows = rows
    this.defaultChainId = defaultChainId
    this.#open = openChainsOfRequest
  }

  /** Runs the work of one request, with chains of its own. */
  during<T>(work: () => T): T {
    return this.#running.run(this.#open(), work)
  }

  health(): ReturnType<ChainsPort['health']> {
    return this.#own.health()
  }

  nodeLimits(chainId: number): ReturnType<ChainsPort['nodeLimits']> {
    return this.#own.nodeLimits(chainId)
  }

  throwIfMisconfigured(chainId: number): void {
    this.#own.throwIfMisconfigured(chainId)
  }

  seen(...asked: Parameters<ChainsPort['seen']>): ReturnType<ChainsPort['seen']> {
    return this.#own.seen(...asked)
  }

  withView: ChainsPort['withView'] = (...asked) => this.#own.withView(...asked)

  get #own(): Chains {
    const chains = this.#running.getStore()
    if (chains === undefined) throw new Error('Chains were asked for no request')
    return chains
  }
}

/** No answer is shared, as no request may wait for what another one reads. */
const UNSHARED: AnswersPort = {
  find: () => undefined,
  get: (_sequence, _moment, _key, make) => make(),
}

function variablesIn(bindings: Readonly<Record<string, unknown>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(bindings).flatMap(([name, value]) => (typeof value === 'string' ? [[name, value]] : [])),
  )
}

/** The request without `Accept-Encoding`, so that the app does not compress: the platform does, and would compress once more. */
function uncompressed(request: Request): Request {
  const headers = new Headers(request.headers)
  headers.delete('accept-encoding')
  return new Request(request, { headers })
}

/** `GET /` of a worker: as `get_service`, without the documents and pages that a worker does not have. */
const getFront = defineServiceOperation({
  name: 'get_service',
  effect: 'read',
  summary: 'Name, version and the addresses to start from',
  access: 'front',
  rest: { method: 'GET', path: '/' },
  input: z.object({}),
  output: z.object({
    name: z.string(),
    version: z.string(),
    links: z.object({ catalog: z.url(), openapi: z.url(), mcp: z.url() }),
  }),
  async handle({ service: { publicUrl, version } }) {
    const links = {
      catalog: `${publicUrl}/catalog`,
      openapi: `${publicUrl}/openapi.json`,
      mcp: `${publicUrl}/mcp`,
    }
    return { name: 'Remit', version, links }
  },
})
