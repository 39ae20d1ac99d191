import * as z from 'zod'
import { defineOperation } from '../../core/operation.ts'
import { BlockNotSeenError, ChainMisconfiguredError } from '../../errors/chain.ts'
import { ShuttingDownError } from '../../errors/http.ts'

/** Whether a load balancer may send requests here. */
export const getReady = defineOperation({
  name: 'get_ready',
  effect: 'read',
  scope: 'service',
  summary:
    'For load balancers: 200 once the default chain answers as configured, 503 before that and while draining',
  rest: { method: 'GET', path: '/ready' },
  tool: false,
  whileDisabled: true,
  audience: 'anyone',
  metering: 'counted',
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
