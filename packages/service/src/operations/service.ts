import { keyHeader, LaneLimits } from '@remit/engine/declare/lanes'
import { BlockNotSeenError, ChainMisconfiguredError } from '@remit/engine/errors/chain'
import { type EndpointLimits, NODE_ABILITIES, NODE_LIMITS } from '@remit/engine/ports/nodes'
import { isoTime } from '@remit/engine/presentation/day'
import { ChainId, ChainRow } from '@remit/engine/schema/chain'
import { IndexHealth, WebhooksHealth } from '@remit/engine/schema/health'
import { BlockNumber, IsoTime, Timestamp } from '@remit/engine/schema/numbers'
import * as z from 'zod'
import { defineServiceOperation } from '../calls/serviceOperation.ts'
import { ShuttingDownError } from '../errors/http.ts'
import { troublesOf } from '../health/troubles.ts'
import { PARTS } from '../ports/service.ts'

// The operations about the service itself: what it is, whether it is ready, what it offers, how it is.

/** The name and version of the service, and the addresses to start from. */
export const getService = defineServiceOperation({
  name: 'get_service',
  effect: 'read',
  summary: 'Name, version and the addresses to start from',
  access: 'front',
  rest: { method: 'GET', path: '/' },
  input: z.object({}),
  output: z.object({
    name: z.string(),
    version: z.string(),
    links: z.object({
      catalog: z.url(),
      openapi: z.url(),
      docs: z.url().describe('The reference for people, in a browser.'),
      llms: z.url().describe('What agents read first; it names every guide.'),
      mcp: z.url(),
      status: z.url(),
    }),
  }),
  async handle({ service }) {
    const { publicUrl, version } = service
    return {
      name: 'Remit',
      version,
      links: {
        catalog: `${publicUrl}/catalog`,
        openapi: `${publicUrl}/openapi.json`,
        docs: `${publicUrl}/docs`,
        llms: `${publicUrl}/llms.txt`,
        mcp: `${publicUrl}/mcp`,
        status: `${publicUrl}/status`,
      },
    }
  },
})

/** Whether a load balancer may send requests here: not before the default chain has answered, nor once the process shuts down ("drains"). */
export const getReady = defineServiceOperation({
  name: 'get_ready',
  effect: 'read',
  summary:
    'For load balancers: 200 once the default chain answers as configured, 503 before that and while draining',
  access: 'health',
  rest: { method: 'GET', path: '/ready' },
  errors: [BlockNotSeenError, ChainMisconfiguredError, ShuttingDownError],
  input: z.object({}),
  output: z.object({ ready: z.literal(true) }),
  async handle({ service }) {
    if (service.draining()) throw new ShuttingDownError()
    const { defaultChainId } = service.chains
    const chain = service.chains.health().find(({ chainId }) => chainId === defaultChainId)
    if (chain?.misconfigured) throw new ChainMisconfiguredError(defaultChainId, chain.misconfigured)
    if (!chain?.rpc.ok || !chain.confirmed) throw BlockNotSeenError.none(defaultChainId)
    return { ready: true as const }
  },
})

/** The description of every route for programs: OpenAPI, made from the list of operations. */
export const getOpenApi = defineServiceOperation({
  name: 'get_openapi',
  effect: 'read',
  summary: 'This API as an OpenAPI 3.1 document',
  access: 'read',
  rest: { method: 'GET', path: '/openapi.json' },
  tool: false,
  input: z.object({}),
  output: z.looseObject({ openapi: z.string() }),
  async once({ service }) {
    return service.openApi()
  },
})

/** The chains that tools may name. Over REST the catalog says the same. */
export const listChains = defineServiceOperation({
  name: 'list_chains',
  effect: 'read',
  summary: 'Chains of this service, with the one that is used where no chainId is given',
  access: 'read',
  rest: null,
  tool: {
    profiles: ['essential', 'read'],
    text: ({ chains }) =>
      chains
        .filter(({ mcp }) => mcp)
        .map((row) => `${row.chainId} ${row.name}${row.default ? ' (default)' : ''}`)
        .join('\n'),
  },
  input: z.object({}),
  output: z.object({ chains: z.array(ChainRow) }),
  async handle({ service }) {
    return { chains: [...service.chains.rows] }
  },
})

/** Of the form of the catalog. */
const CATALOG_VERSION = '3'

const Limits = LaneLimits.nullable().describe(
  'The values in force; null where the lane is not metered or does not exist.',
)

/** Routes, limits in force and chains, for clients at run time. */
export const getCatalog = defineServiceOperation({
  name: 'get_catalog',
  effect: 'read',
  summary: 'Route manifest, limits in force, chain registry',
  access: 'catalog',
  rest: { method: 'GET', path: '/catalog' },
  input: z.object({}),
  output: z.object({
    version: z.string(),
    chainId: ChainId.describe('Used where ?chainId= is omitted.'),
    chains: z.array(ChainRow),
    pathNote: z.string(),
    access: z.object({
      rest: z.object({
        free: z.object({ auth: z.literal('none'), limits: Limits }),
        developer: z.object({
          auth: z.string(),
          enabled: z.boolean(),
          limits: Limits,
          management: z
            .object({ create: z.string(), list: z.string(), revoke: z.string(), adminAuth: z.string() })
            .nullable()
            .describe('The routes that manage keys; null where keys are switched off.'),
        }),
      }),
      mcp: z.object({ auth: z.string(), limits: z.string() }),
    }),
    apiEnabled: z.boolean(),
    developerKeysEnabled: z.boolean(),
    routes: z.array(z.object({ method: z.string(), path: z.string(), description: z.string() })),
  }),
  async once({ service }) {
    const { chains, limits, developerKeysEnabled, publicUrl, asksBasicAuth } = service
    return {
      version: CATALOG_VERSION,
      chainId: chains.defaultChainId,
      chains: [...chains.rows],
      pathNote:
        'Paths are served with and without the /api prefix. Protocol routes take ?chainId= as decimal or CAIP-2.',
      access: {
        rest: {
          free: { auth: 'none' as const, limits: limits.free },
          developer: {
            auth: keyHeader(asksBasicAuth),
            enabled: developerKeysEnabled,
            limits: limits.developer,
            management: developerKeysEnabled
              ? managementAt(`${publicUrl}/developer/keys`, asksBasicAuth)
              : null,
          },
        },
        mcp: {
          auth: 'The same credentials as REST, as HTTP headers.',
          limits: 'Equal to REST’s free and developer limits; both surfaces share the same identities.',
        },
      },
      apiEnabled: service.apiEnabled,
      developerKeysEnabled,
      routes: [...service.routes()],
    }
  },
})

function managementAt(keys: string, asksBasicAuth: boolean) {
  const header = 'X-Service-Admin-Key'
  return {
    create: keys,
    list: `${keys}?subjectId=<subject_id>`,
    revoke: `${keys}/:id`,
    adminAuth: asksBasicAuth
      ? `${header}: <DEVELOPER_KEYS_ADMIN_SECRET>`
      : `Authorization: Bearer <DEVELOPER_KEYS_ADMIN_SECRET>, or ${header}`,
  }
}

/** Which node has a limit or peculiarity, and whether the operator has set it or the service found it. */
const finding = {
  endpoint: z.int().describe('The place of its URL among the chain’s, from 1.'),
  source: z.enum(['set', 'learnt']),
}

const NodeLimit = z.object({
  ...finding,
  name: z.enum(NODE_LIMITS),
  most: z.int().describe('The most that it grants at once.'),
})

const NodePeculiarity = z.object({ ...finding, name: z.enum(NODE_ABILITIES) })

const Incident = z.object({
  part: z
    .enum(PARTS)
    .describe('What was wrong: nodes that do not answer, a head that stands still, and so on.'),
  chainId: ChainId.nullable().describe('null for what belongs to no chain.'),
  message: z.string(),
  startedAt: Timestamp,
  formattedStartedAt: IsoTime,
  endedAt: Timestamp.nullable().describe('null while it lasts.'),
  formattedEndedAt: IsoTime.nullable(),
})

/** The most incidents that are answered: more than a person reads. Logs and metrics have all. */
const MOST_INCIDENTS = 20

/** The health of the service and its chains, from background probes. */
export const getStatus = defineServiceOperation({
  name: 'get_status',
  effect: 'read',
  summary: 'Health of the service and of each chain; never waits for an upstream',
  access: 'health',
  rest: { method: 'GET', path: '/status' },
  input: z.object({}),
  output: z.object({
    status: z.enum(['ok', 'degraded', 'disabled']),
    service: z.string(),
    version: z.string(),
    apiEnabled: z.boolean(),
    lane: z
      .enum(['free', 'developer'])
      .describe('Always `free`: keys are not looked at here. `X-Service-Lane` of other answers tells yours.'),
    chains: z.array(
      z.object({
        chainId: ChainId,
        rpc: z.object({
          ok: z.boolean(),
          blockNumber: BlockNumber.nullable(),
          latencyMs: z.number().nullable(),
          headAgeSeconds: z
            .int()
            .min(0)
            .nullable()
            .describe('How old the newest block is; null before the first, and for a development chain.'),
          alarm: z
            .string()
            .nullable()
            .describe(
              'Says that the newest block is much older than blocks of this chain are; null otherwise.',
            ),
        }),
        misconfigured: z
          .string()
          .nullable()
          .describe(
            'What the operator must correct before the chain is served, naming the variable; null where nothing is known to be wrong.',
          ),
        limits: z
          .array(NodeLimit)
          .describe('What the chain’s nodes limit, as far as it is known. Answers may be poorer for it.'),
        peculiarities: z
          .array(NodePeculiarity)
          .describe('What nodes lack. `replicas` says that several nodes answer at the URL.'),
        index: IndexHealth.nullable().describe('null for a chain that is read without an index.'),
      }),
    ),
    webhooks: WebhooksHealth.nullable().describe(
      'null where webhooks are switched off, and for a moment after the start.',
    ),
    startedAt: Timestamp.describe('When the process that answers began.'),
    formattedStartedAt: IsoTime,
    incidents: z
      .array(Incident)
      .describe(`What that process saw go wrong since then, at most ${MOST_INCIDENTS}, the newest first.`),
  }),
  async handle({ service, lane }) {
    const chains = service.chains.health().map(({ chainId, rpc, misconfigured }) => ({
      chainId,
      rpc,
      misconfigured,
      limits: service.chains.nodeLimits(chainId).flatMap(limitsOf),
      peculiarities: service.chains.nodeLimits(chainId).flatMap(peculiaritiesOf),
      index: service.indexes.health(chainId),
    }))
    const health = troublesOf(service).length === 0 ? ('ok' as const) : ('degraded' as const)
    return {
      status: service.apiEnabled ? health : ('disabled' as const),
      service: 'Remit',
      version: service.version,
      apiEnabled: service.apiEnabled,
      lane,
      chains,
      webhooks: service.webhooks(),
      startedAt: service.startedAt,
      formattedStartedAt: isoTime(service.startedAt),
      incidents: service.incidents(MOST_INCIDENTS).map((incident) => ({
        ...incident,
        formattedStartedAt: isoTime(incident.startedAt),
        formattedEndedAt: incident.endedAt === null ? null : isoTime(incident.endedAt),
      })),
    }
  },
})

function limitsOf({ endpoint, limits }: EndpointLimits): z.output<typeof NodeLimit>[] {
  return NODE_LIMITS.flatMap((name) => {
    const known = limits[name]
    return known === undefined ? [] : [{ endpoint, name, most: known.value, source: known.source }]
  })
}

/** How a node differs from most: it lacks an ability, or is several nodes behind one URL (`replicas`). */
function peculiaritiesOf({ endpoint, abilities }: EndpointLimits): z.output<typeof NodePeculiarity>[] {
  return NODE_ABILITIES.flatMap((name) => {
    const known = abilities[name]
    // Usual is to have an ability, and not to be several nodes.
    const isUsual = known === undefined || known.value === (name !== 'replicas')
    return isUsual ? [] : [{ endpoint, name, source: known.source }]
  })
}
