import { defineOperation } from '@remit/engine/declare/operation'
import { SubscriptionNotFoundError, UpstreamError } from '@remit/engine/errors/chain'
import type { ChainsPort, ChainView } from '@remit/engine/ports/chains'
import type { Log } from '@remit/engine/ports/log'
import type { WebhooksHealth } from '@remit/engine/schema/health'
import { Address, SubscriptionId } from '@remit/engine/schema/hex'
import { Uint256 } from '@remit/engine/schema/numbers'
import { createPipeline } from '@remit/service/testing/calls/pipeline'
import type { Operation } from '@remit/service/testing/calls/serviceOperation'
import { defineServiceOperation } from '@remit/service/testing/calls/serviceOperation'
import { sessionCookie } from '@remit/service/testing/calls/sessionCookie'
import { type ChargingPort, type IdentityPort, unmetered } from '@remit/service/testing/ports/access'
import type { ServicePort } from '@remit/service/testing/ports/service'
import { type AppOptions, createApp } from '@remit/service/testing/surfaces/app'
import { catalogRoutes } from '@remit/service/testing/surfaces/rest/routes'
import { noWebhooks } from '@remit/service/testing/webhooks/noWebhooks'
import * as z from 'zod'
import { noEvents } from './noEvents.ts'
import { noHistory } from './noHistory.ts'

/** A handful of operations that stand for every shape an operation can have. */
export const smallOperations: readonly Operation[] = [
  defineServiceOperation({
    name: 'get_home',
    effect: 'read',
    access: 'front',
    summary: 'Where to start',
    rest: { method: 'GET', path: '/' },
    input: z.object({}),
    output: z.object({ name: z.string(), links: z.object({ catalog: z.string() }) }),
    handle: async ({ service }) => ({
      name: 'Small & <simple>',
      links: { catalog: `${service.publicUrl}/catalog` },
    }),
  }),
  defineServiceOperation({
    name: 'list_routes',
    effect: 'read',
    access: 'read',
    summary: 'The routes',
    rest: { method: 'GET', path: '/catalog' },
    input: z.object({}),
    output: z.object({ routes: z.array(z.object({ method: z.string(), path: z.string() })) }),
    handle: async ({ service }) => ({
      routes: service.routes().map(({ method, path }) => ({ method, path })),
    }),
  }),
  defineOperation({
    name: 'get_thing',
    effect: 'read',
    kind: 'chain',
    access: 'read',
    summary: 'One thing by its id',
    description: 'The id ends in 9 for a chain that fails.',
    rest: { method: 'GET', path: '/things/:id' },
    errors: [SubscriptionNotFoundError],
    input: z.object({ id: SubscriptionId }),
    output: z.object({ id: SubscriptionId, amountRaw: Uint256, latencyMs: z.number() }),
    async handle({ input, chain }) {
      if (input.id.endsWith('0')) throw new SubscriptionNotFoundError(input.id, chain.chainId)
      if (input.id.endsWith('9')) {
        throw new UpstreamError(chain.chainId, {
          cause: new Error('POST https://rpc.example/secret-key failed'),
        })
      }
      if (input.id.endsWith('8')) throw new TypeError('a broken promise')
      return { id: input.id, amountRaw: 2n ** 200n, latencyMs: Math.random() }
    },
  }),
  defineOperation({
    name: 'search_things',
    effect: 'read',
    kind: 'chain',
    access: 'read',
    summary: 'Things by their marks',
    rest: { method: 'GET', path: '/things' },
    input: z.object({
      first: z.int().min(1).max(10).optional(),
      frequency: z.literal([0, 1, 2, 3]).optional(),
      cancelled: z.boolean().optional(),
      owner: Address.optional(),
    }),
    output: z.object({ heard: z.record(z.string(), z.unknown()), error: z.string().optional() }),
    handle: async ({ input }) => ({
      heard: { ...input },
      ...(input.first === 7 ? { error: 'The index is behind.' } : {}),
    }),
  }),
  defineOperation({
    name: 'get_latest_thing',
    effect: 'read',
    kind: 'chain',
    access: 'read',
    summary: 'The latest thing',
    rest: { method: 'GET', path: '/things/latest' },
    tool: { profiles: ['essential', 'read'], text: () => 'The latest thing is there.' },
    input: z.object({}),
    output: z.object({ latest: z.literal(true) }),
    handle: async () => ({ latest: true as const }),
  }),
  defineOperation({
    name: 'prepare_thing',
    effect: 'prepare',
    kind: 'prepare',
    access: 'write',
    summary: 'Prepare a thing',
    description: 'An amount of 9 is for a chain that fails.',
    rest: { method: 'POST', path: '/prepare/thing' },
    input: z.object({
      from: Address,
      amountRaw: Uint256,
      details: z.strictObject({ url: z.string() }).optional(),
      wait: z.boolean().optional(),
    }),
    output: z.object({ from: Address, amountRaw: Uint256, requestId: z.string() }),
    async handle({ input, requestId, chain }) {
      if (input.amountRaw === 9n) {
        throw new UpstreamError(chain.chainId, { cause: new Error('the chain was away') })
      }
      if (input.wait === true) await new Promise((resolve) => setTimeout(resolve, 600))
      return { from: input.from, amountRaw: input.amountRaw, requestId }
    },
  }),
  defineServiceOperation({
    name: 'only_a_tool',
    effect: 'read',
    access: 'read',
    summary: 'A tool without a route',
    rest: null,
    input: z.object({}),
    output: z.object({ lane: z.string() }),
    handle: async ({ lane }) => ({ lane }),
  }),
]

const HEAD = { blockNumber: 7, blockHash: `0x${'ab'.repeat(32)}`, timestamp: 1_700_000_000 } as const

/** Two chains with a head that counts upwards, and nothing to read. */
export function smallChains(): ChainsPort {
  let blockNumber: number = HEAD.blockNumber
  return {
    rows: [
      { chainId: 31337, caip2: 'eip155:31337', name: 'Dev', rest: true, mcp: true, default: true },
      { chainId: 84532, caip2: 'eip155:84532', name: 'Base Sepolia', rest: true, mcp: true, default: false },
      { chainId: 8453, caip2: 'eip155:8453', name: 'Base', rest: false, mcp: false, default: false },
    ],
    defaultChainId: 31337,
    health: () => [],
    nodeLimits: () => [],
    throwIfMisconfigured: () => {},
    seen: () => undefined,
    async withView(chainId, _options, use) {
      blockNumber += 1
      const view: Partial<ChainView> = { chainId, name: 'Dev', asOf: { ...HEAD, blockNumber }, today: 19675 }
      // Safe: the small operations read nothing else of a view.
      return use(view as ChainView)
    },
  }
}

export interface LogLine {
  readonly message: string
  readonly facts: Readonly<Record<string, unknown>> | undefined
}

export interface SmallAppOptions extends Partial<Omit<AppOptions, 'pipeline' | 'log'>> {
  readonly identities?: IdentityPort
  readonly charging?: ChargingPort
  readonly chains?: ChainsPort
  readonly draining?: boolean
  /** How webhooks stand. */
  readonly webhooks?: WebhooksHealth | null
}

/** Everybody is on the free lane, told apart by address. */
const everybodyFree: IdentityPort = {
  identify: async ({ remoteAddress }) => ({ lane: 'free', id: remoteAddress ?? 'unknown' }),
}

/** What a service over these chains says of itself. */
export function smallService(chains: ChainsPort, said: Partial<ServicePort> = {}): ServicePort {
  return {
    version: '0.0.1',
    publicUrl: 'http://localhost:3000',
    operator: null,
    apiEnabled: true,
    developerKeysEnabled: false,
    asksBasicAuth: false,
    limits: { free: null, developer: null },
    chains,
    indexes: noHistory,
    webhooks: () => null,
    startedAt: 1_700_000_000,
    incidents: () => [],
    draining: () => false,
    routes: () => [],
    openApi: () => ({ openapi: '3.1.0' }),
    ...said,
  }
}

/** The pipeline over ports that hold nothing, in whose place a test puts its own. */
export function smallPipeline(ports: Partial<PipelinePorts>) {
  const { chains = smallChains() } = ports
  return createPipeline({
    identities: everybodyFree,
    charging: unmetered,
    history: noHistory,
    events: noEvents,
    webhooks: noWebhooks,
    service: smallService(chains),
    ...ports,
    chains,
  })
}

type PipelinePorts = Parameters<typeof createPipeline>[0]

/** The whole HTTP surface over the small operations, with what it logged. */
export function smallApp(options: SmallAppOptions = {}) {
  const {
    identities = everybodyFree,
    charging = unmetered,
    operations = smallOperations,
    chains = smallChains(),
    draining = false,
    webhooks = null,
    ...rest
  } = options
  const logged: LogLine[] = []
  const note = (message: string, facts?: Readonly<Record<string, unknown>>) => {
    logged.push({ message, facts })
  }
  const log: Log = { info: () => {}, warn: note, error: note }
  const service = smallService(chains, {
    webhooks: () => webhooks,
    draining: () => draining,
    routes: () => catalogRoutes(operations),
  })
  const pipeline = smallPipeline({ identities, charging, chains, service })
  const app = createApp({
    operations,
    pipeline,
    log,
    server: { name: 'small', version: '0.0.1' },
    host: '127.0.0.1',
    allowedHosts: undefined,
    cookie: sessionCookie(false),
    suggestions: { of: async () => [] },
    events: noEvents,
    ...rest,
  })
  const call = (path: string, init?: RequestInit) => app.fetch(new Request(`http://localhost${path}`, init))
  return { app, pipeline, call, logged }
}

/** A POST of JSON. */
export function json(body: unknown, headers: Record<string, string> = {}): RequestInit {
  return {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  }
}
