import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { useTestChain } from './support/chain/useTestChain.ts'
import { useCountingProxy } from './support/nodes/countingProxy.ts'
import { startTestService, type TestService } from './support/service/testService.ts'

const chain = await useTestChain()
const proxy = await useCountingProxy(chain.url)
const folder = mkdtempSync(join(tmpdir(), 'remit-limits-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
const store = { DATABASE_URL: `file:${join(folder, 'remit.db')}` }
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

it('what a node lacks is listed in /status, and known to the next process before it asks', async () => {
  proxy.fail(lacksSimulation)
  const service = await startTestService([served], store)
  try {
    await service.caughtUp()
    expect(await limitsOf(service)).toMatchObject({ chains: [{ limits: [] }] })
    await service.post('/check_remit_readiness', { from: chain.wallets.keeper })
    expect(await limitsOf(service)).toMatchObject({
      chains: [{ limits: [], peculiarities: [{ endpoint: 1, name: 'simulateV1', source: 'learnt' }] }],
    })
  } finally {
    await service.close()
  }
  proxy.reset()
  const next = await startTestService([served], { ...store, RPC_LIMITS_31337: 'batch=7' })
  try {
    expect(await limitsOf(next)).toMatchObject({
      chains: [
        {
          limits: [{ endpoint: 1, name: 'batch', most: 7, source: 'set' }],
          peculiarities: [{ endpoint: 1, name: 'simulateV1', source: 'learnt' }],
        },
      ],
    })
    await next.post('/check_remit_readiness', { from: chain.wallets.keeper })
    expect(proxy.methods).not.toContain('eth_simulateV1')
  } finally {
    await next.close()
  }
})
