import * as z from 'zod'
import { defineOperation } from '../../core/operation.ts'
import { BlockNotSeenError } from '../../errors/chain.ts'
import { ShuttingDownError } from '../../errors/http.ts'

/** Whether a load balancer may send requests here. */
export const getReady = defineOperation({
  name: 'get_ready',
  effect: 'read',
  scope: 'service',
  summary: 'For load balancers: 200 once the default chain answers, 503 before that and while draining',
  rest: { method: 'GET', path: '/ready' },
  tool: false,
  whileDisabled: true,
  audience: 'anyone',
  metering: 'counted',
  errors: [BlockNotSeenError, ShuttingDownError],
  input: z.object({}),
  output: z.object({ ready: z.literal(true) }),
  async handle({ service }) {
    if (service.draining()) throw new ShuttingDownError()
    const { chains } = service
    const chain = chains.health().find(({ chainId }) => chainId === chains.defaultChainId)
    if (chain === undefined || !chain.rpc.ok) throw BlockNotSeenError.none(chains.defaultChainId)
    return { ready: true as const }
  },
})
