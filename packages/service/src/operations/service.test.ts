import { smallApp } from '@remit/testing/support/app/smallApp'
import { useTestChain } from '@remit/testing/support/chain/useTestChain'
import { useCountingProxy } from '@remit/testing/support/nodes/countingProxy'
import { useTestService } from '@remit/testing/support/service/testService'
import { describe, expect, it } from 'vitest'
import { getStatus } from './service.ts'

const chain = await useTestChain()
const service = await useTestService([chain])
const closed = await useTestService([chain], { API_ENABLED: 'false' })
const silent = await useCountingProxy(chain.url)
silent.fail({ hang: true })
const waiting = await useTestService([{ ...chain, url: silent.url }], { RPC_TIMEOUT_MS: '60000' })
const unreachable = await useTestService([{ ...chain, url: 'http://127.0.0.1:9' }], {
  RPC_TIMEOUT_MS: '300',
})

it('GET / says where to start', async () => {
  const { body } = await service.get('/')
  expect(body).toEqual({
    name: 'Remit',
    version: expect.stringMatching(/^\d+\.\d+\.\d+$/),
    links: {
      catalog: `${service.url}/catalog`,
      openapi: `${service.url}/openapi.json`,
      docs: `${service.url}/docs`,
      llms: `${service.url}/llms.txt`,
      mcp: `${service.url}/mcp`,
      status: `${service.url}/status`,
    },
  })
})

it('GET /catalog states the limits in force, a hundred thousand times the usual ones here', async () => {
  const { body } = await service.get('/catalog')
  const [free, developer] = [{ globalRpm: 2_000_000 }, { globalRpm: 8_000_000 }]
  expect(body).toMatchObject({
    access: {
      rest: { free: { auth: 'none', limits: free }, developer: { enabled: true, limits: developer } },
    },
  })
})

describe('GET /status', () => {
  it('is ok while every chain that is served answers', async () => {
    const blockNumber = await chain.client.getBlockNumber()
    // Its index is as far then.
    await service.get(`/subscriptions?minBlock=${blockNumber}`)
    const { status, body } = await service.get('/status')
    expect(status).toBe(200)
    expect(body).toEqual({
      status: 'ok',
      service: 'Remit',
      version: expect.any(String),
      apiEnabled: true,
      lane: 'free',
      chains: [
        {
          chainId: 31337,
          rpc: {
            ok: true,
            blockNumber: expect.any(Number),
            latencyMs: expect.any(Number),
            headAgeSeconds: null,
            alarm: null,
          },
          misconfigured: null,
          limits: [],
          peculiarities: [],
          index: {
            source: 'rpc',
            ok: true,
            blockNumber: expect.any(Number),
            lagSeconds: 0,
            synced: true,
            backfill: null,
            approvals: null,
            alarm: null,
          },
        },
      ],
      webhooks: null,
      startedAt: expect.any(Number),
      formattedStartedAt: expect.any(String),
      incidents: [],
    })
  })

  it('is degraded, at once and with 200, while a chain does not answer', async () => {
    silent.fail({ hang: true })
    const begun = performance.now()
    const { status, body } = await waiting.get('/status')
    // A sixth of what the chain has to answer.
    expect(performance.now() - begun).toBeLessThan(10_000)
    expect(status).toBe(200)
    expect(body).toMatchObject({ status: 'degraded', chains: [{ rpc: { ok: false, blockNumber: null } }] })
  })

  it.each([
    ['ok', null],
    ['degraded', 'Webhooks are behind: events have waited for 61 s to be sent.'],
  ])('says how webhooks stand, and is %s where their alarm is %j', async (status, alarm) => {
    const webhooks = { active: 3, failing: 1, paused: 1, deliverers: 2, waiting: 7, behindSeconds: 61, alarm }
    const { call } = smallApp({ operations: [getStatus], webhooks })
    expect(await (await call('/status')).json()).toMatchObject({ status, webhooks })
  })
})

it('GET /ready is 503 until the default chain answers', async () => {
  const { status, body } = await unreachable.get('/ready')
  expect({ status, code: body.code }).toEqual({ status: 503, code: 'BLOCK_NOT_SEEN' })
  await service.caughtUp()
  expect(await service.get('/ready')).toMatchObject({ status: 200, body: { ready: true } })
})

it('a chain that does not answer is an upstream failure and never an empty list, and its address does not leak', async () => {
  const { status, body } = await unreachable.get('/approved-tokens')
  expect([502, 504]).toContain(status)
  expect(body).toMatchObject({ code: expect.stringMatching(/^UPSTREAM_/), requestId: expect.any(String) })
  expect(JSON.stringify(body)).not.toContain('127.0.0.1')
})

describe('an API that is switched off', () => {
  it('leaves where to start, the status and the catalog', async () => {
    expect((await closed.get('/')).status).toBe(200)
    expect(await closed.get('/catalog')).toMatchObject({ status: 200, body: { apiEnabled: false } })
    expect(await closed.get('/status')).toMatchObject({ status: 200, body: { status: 'disabled' } })
  })

  it.each(['/protocol/state', '/openapi.json'])('answers nothing else: %s', async (path) => {
    const { status, body } = await closed.get(path)
    expect({ status, code: body.code }).toEqual({ status: 503, code: 'API_DISABLED' })
  })
})

it('minBlock is 503 for one that does not come', async () => {
  const { status, body, headers } = await service.get('/protocol/state?minBlock=1000000')
  expect({ status, code: body.code }).toEqual({ status: 503, code: 'BLOCK_NOT_SEEN' })
  expect(headers.get('retry-after')).toBe('1')
})
