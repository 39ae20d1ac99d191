import * as z from 'zod'
import { defineOperation } from '../../core/operation.ts'
import { ChainId } from '../../schema/chainId.ts'
import { BlockNumber } from '../../schema/numbers.ts'

const IndexHealth = z.object({
  source: z.enum(['rpc', 'subgraph']),
  ok: z.boolean().describe('Whether it can be read and is being kept up.'),
  blockNumber: BlockNumber.nullable().describe('Where it stands; null before it has begun.'),
  lagSeconds: z.int().min(0).nullable(),
  synced: z.boolean().describe('At the head, but for the few blocks that are on their way.'),
  backfill: z
    .object({
      fromBlock: BlockNumber,
      toBlock: BlockNumber,
      blockNumber: z.int().describe('The last block that has been read.'),
      percent: z.number(),
      blocksPerSecond: z.number(),
      secondsLeft: z.int().nullable(),
    })
    .nullable()
    .describe('How far the reading of the chain’s past has come; null where it is not being read.'),
  alarm: z.string().nullable().describe('What is wrong, for the operator; null where nothing is.'),
})

/** The health of the service and its chains, from background probes. */
export const getStatus = defineOperation({
  name: 'get_status',
  effect: 'read',
  scope: 'service',
  summary: 'Health of the service and of each chain; never waits for an upstream',
  rest: { method: 'GET', path: '/status' },
  tool: false,
  whileDisabled: true,
  audience: 'anyone',
  metering: 'counted',
  input: z.object({}),
  output: z.object({
    status: z.enum(['ok', 'degraded', 'disabled']),
    service: z.string(),
    version: z.string(),
    apiEnabled: z.boolean(),
    lane: z.enum(['free', 'developer']),
    chains: z.array(
      z.object({
        chainId: ChainId,
        rpc: z.object({
          ok: z.boolean(),
          blockNumber: BlockNumber.nullable(),
          latencyMs: z.number().nullable(),
        }),
        misconfigured: z
          .string()
          .nullable()
          .describe(
            'What the operator must mend before the chain is served, naming the variable; null where nothing is known to be wrong.',
          ),
        index: IndexHealth.nullable().describe('null for a chain that is read without an index.'),
      }),
    ),
  }),
  async handle({ service, lane }) {
    const chains = service.chains.health().map(({ chainId, rpc, misconfigured }) => ({
      chainId,
      rpc,
      misconfigured,
      index: service.indexes.health(chainId),
    }))
    const isWell = chains.every(
      ({ rpc, misconfigured, index }) =>
        rpc.ok && misconfigured === null && (index === null || isKeptUp(index)),
    )
    const health = isWell ? ('ok' as const) : ('degraded' as const)
    return {
      status: service.apiEnabled ? health : ('disabled' as const),
      service: 'Remit',
      version: service.version,
      apiEnabled: service.apiEnabled,
      lane,
      chains,
    }
  },
})

function isKeptUp({ ok, alarm }: z.output<typeof IndexHealth>): boolean {
  return ok && alarm === null
}
