import { type EndpointLimits, NODE_ABILITIES, NODE_LIMITS } from '@remit/engine/ports/nodeLimits'
import { isoTime } from '@remit/engine/presentation/day'
import { ChainId } from '@remit/engine/schema/chainId'
import { IndexHealth } from '@remit/engine/schema/indexHealth'
import { BlockNumber, IsoTime, Timestamp } from '@remit/engine/schema/numbers'
import { WebhooksHealth } from '@remit/engine/schema/webhooksHealth'
import * as z from 'zod'
import { defineServiceOperation } from '../calls/serviceOperation.ts'
import { troublesOf } from '../health/troubles.ts'
import { PARTS } from '../ports/service.ts'

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

/** A person reads no more. Logs and metrics have all. */
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

/** How a node differs from most. */
function peculiaritiesOf({ endpoint, abilities }: EndpointLimits): z.output<typeof NodePeculiarity>[] {
  return NODE_ABILITIES.flatMap((name) => {
    const known = abilities[name]
    const isUsual = known === undefined || known.value === (name !== 'replicas')
    return isUsual ? [] : [{ endpoint, name, source: known.source }]
  })
}
