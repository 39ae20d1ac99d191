import { expect, it } from 'vitest'
import { useTestChain } from './support/chain/useTestChain.ts'
import { useCountingProxy } from './support/nodes/countingProxy.ts'
import { startTestService, type TestService } from './support/service/testService.ts'

const chain = await useTestChain()
const proxy = await useCountingProxy(chain.url)
const served = { ...chain, url: proxy.url }

async function limitsOf(service: TestService): Promise<unknown> {
  const { body } = await service.get('/status')
  return body
}

const lacksSimulation = {
  answer: ({ method }: { method: string }) =>
    method === 'eth_simulateV1'
      ? { error: { code: -32601, message: 'the method eth_simulateV1 does not exist' } }
      : undefined,
}

it('what a node lacks is listed in /status once it is learnt', async () => {
  proxy.fail(lacksSimulation)
  const service = await startTestService([served])
  try {
    await service.caughtUp()
    expect(await limitsOf(service)).toMatchObject({ chains: [{ limits: [], peculiarities: [] }] })
    await service.post('/check_remit_readiness', { from: chain.wallets.keeper })
    expect(await limitsOf(service)).toMatchObject({
      chains: [{ limits: [], peculiarities: [{ endpoint: 1, name: 'simulateV1', source: 'learnt' }] }],
    })
  } finally {
    await service.close()
  }
})

it('what is set of a node is listed in /status, and the node is not asked for it', async () => {
  proxy.reset()
  const service = await startTestService([served], { RPC_LIMITS_31337: 'batch=7,simulateV1=false' })
  try {
    expect(await limitsOf(service)).toMatchObject({
      chains: [
        {
          limits: [{ endpoint: 1, name: 'batch', most: 7, source: 'set' }],
          peculiarities: [{ endpoint: 1, name: 'simulateV1', source: 'set' }],
        },
      ],
    })
    await service.post('/check_remit_readiness', { from: chain.wallets.keeper })
    expect(proxy.methods).not.toContain('eth_simulateV1')
  } finally {
    await service.close()
  }
})
