import * as z from 'zod'
import { defineOperation } from '../../core/operation.ts'
import { ChainId } from '../../schema/chainId.ts'
import { BlockNumber } from '../../schema/numbers.ts'

/** A light health check out of what background probes have seen. */
export const getStatus = defineOperation({
  name: 'get_status',
  effect: 'read',
  scope: 'service',
  summary: 'Health of the service and of each chain; never waits for an upstream',
  rest: { method: 'GET', path: '/status' },
  tool: false,
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
        index: z.null().describe('This chain is read without an index.'),
      }),
    ),
  }),
  async handle({ service, lane }) {
    const chains = service.chains.health().map((chain) => ({ ...chain, index: null }))
    const health = chains.every(({ rpc }) => rpc.ok) ? ('ok' as const) : ('degraded' as const)
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
