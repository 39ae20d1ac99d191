import { deployProtocol } from '@remit/devchain/testing/chain/deploy'
import { getContractAddress } from 'viem'
import { afterEach, describe, expect, it } from 'vitest'
import { useTestChain } from '../support/chain/useTestChain.ts'
import { useCountingProxy } from '../support/nodes/countingProxy.ts'
import { type ServedChain, startTestService, type TestService } from '../support/service/testService.ts'

const chain = await useTestChain({ goesOn: true })
const proxy = await useCountingProxy(chain.url)
const EMPTY = '0x0000000000000000000000000000000000001234'
const SEARCH = '/subscriptions'
const ROUTES = ['/protocol/state', SEARCH, '/approved-tokens', `/providers/${chain.wallets.provider}`]

let service: TestService | undefined
afterEach(() => service?.close())

async function serve(changes: Partial<ServedChain>, environment: Record<string, string> = {}) {
  service = await startTestService([{ ...chain, ...changes }], environment)
  return service
}

/** The problem, once the service has found it. */
async function problemOf({ get }: TestService): Promise<string> {
  for (let attempt = 0; attempt < 200; attempt += 1) {
    const { body } = await get('/status')
    const [row] = Array.isArray(body.chains) ? body.chains : []
    if (typeof row?.misconfigured === 'string') return row.misconfigured
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  throw new Error('nothing was found to be wrong')
}

async function untilReady({ get }: TestService): Promise<void> {
  const deadline = Date.now() + 30_000
  while ((await get('/ready')).status !== 200) {
    if (Date.now() > deadline) throw new Error('the service has not become ready')
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}

async function isRefusedEverywhere({ get, post, logged }: TestService, problem: string) {
  expect(await get('/ready')).toMatchObject({ status: 503, body: { code: 'CHAIN_MISCONFIGURED' } })
  expect((await get('/status')).body).toMatchObject({ status: 'degraded' })
  for (const route of ROUTES) {
    const { status, body } = await get(route)
    expect({ route, status, body }).toMatchObject({ status: 503, body: { code: 'CHAIN_MISCONFIGURED' } })
    expect(body.error).toContain(problem)
    expect(JSON.stringify(body)).not.toContain('127.0.0.1')
  }
  const prepared = await post('/prepare/remit', { from: chain.wallets.keeper })
  expect(prepared).toMatchObject({ status: 503, body: { code: 'CHAIN_MISCONFIGURED' } })
  const told = logged.filter((line) => line.startsWith('The chain is misconfigured'))
  // Once, however often it is looked at again.
  expect(told).toHaveLength(1)
  expect(told[0]).toContain(problem)
}

describe('a chain whose contract is not the protocol', () => {
  it('is refused by name where there is no code, and nothing of it is indexed', async () => {
    proxy.reset()
    const refused = await serve({ url: proxy.url, contract: EMPTY })
    const problem = await problemOf(refused)
    expect(problem).toBe(`CONTRACT_ADDRESS_31337: ${EMPTY} on chain 31337 has no code.`)
    await isRefusedEverywhere(refused, problem)
    expect(proxy.methods).not.toContain('eth_getLogs')
  })

  it('is refused where another contract lives', async () => {
    const refused = await serve({ contract: chain.tokens.usdc })
    const problem = await problemOf(refused)
    expect(problem).toMatch(
      /^CONTRACT_ADDRESS_31337: \S+ on chain 31337 is not the protocol: its callerFee\(\) /,
    )
    await isRefusedEverywhere(refused, problem)
  })

  it.each([
    ['0x', /callerFee\(\) answers no number/],
    [`0x${'00'.repeat(32)}`, /callerFee\(\) answers 0, and can only be from 10000 to 10833/],
    [`0x${'ff'.repeat(32)}`, /callerFee\(\) answers \d{78}, and can only be/],
  ])('is refused where its views answer %s', async (result, expected) => {
    proxy.fail({ answer: ({ method }) => (method === 'eth_call' ? { result } : undefined) })
    expect(await problemOf(await serve({ url: proxy.url }))).toMatch(expected)
  })
})

it('a node of another chain is a misconfiguration that names RPC_URL_<id>, until it is the right one', async () => {
  proxy.fail({ chainId: 5 })
  const refused = await serve({ url: proxy.url })
  const problem = await problemOf(refused)
  expect(problem).toBe('RPC_URL_31337: what answers there is on chain 5, not on chain 31337.')
  await isRefusedEverywhere(refused, problem)
  proxy.fail({})
  await untilReady(refused)
})

describe('the check', () => {
  it('finds a contract that is deployed later, without a restart, and indexes it then', async () => {
    const { client, wallets } = chain
    const nonce = BigInt(await client.getTransactionCount({ address: wallets.admin }))
    const contract = getContractAddress({ from: wallets.admin, nonce })
    const early = await serve({ contract })
    expect(await problemOf(early)).toMatch(/has no code/)
    await deployProtocol(client, { admin: wallets.admin, janitor: wallets.janitor })
    await untilReady(early)
    const block = await client.getBlockNumber()
    expect(await early.get(`${SEARCH}?minBlock=${block}`)).toMatchObject({ status: 200, body: { count: 0 } })
    expect(early.logged.join('\n')).toContain('The chain is configured well now')
  })

  it('believes a node that has the contract rather than one that misses it', async () => {
    proxy.fail({ answer: ({ method }) => (method === 'eth_getCode' ? { result: '0x' } : undefined) })
    const both = await serve({ url: `${proxy.url},${chain.url}` })
    await both.caughtUp()
    expect(await both.get('/ready')).toMatchObject({ status: 200 })
  })

  it('calls a node that does not answer away, and nothing misconfigured', async () => {
    proxy.fail({ status: 500 })
    const away = await serve({ url: proxy.url }, { RPC_TIMEOUT_MS: '500' })
    expect(await away.get('/ready')).toMatchObject({ status: 503, body: { code: 'BLOCK_NOT_SEEN' } })
    const { status } = await away.get('/protocol/state')
    expect([502, 504]).toContain(status)
    expect((await away.get('/status')).body).toMatchObject({ chains: [{ misconfigured: null }] })
    proxy.fail({})
    await untilReady(away)
  })

  it('costs one request at the start, and none for each request', async () => {
    proxy.reset()
    const counted = await serve({ url: proxy.url }, { INDEX_31337: 'off' })
    await counted.caughtUp()
    await counted.get('/approved-tokens')
    expect(proxy.methods.filter((method) => method === 'eth_getCode')).toHaveLength(1)
    expect(proxy.reads.filter((methods) => methods.includes('eth_getCode'))).toHaveLength(1)
  })
})
