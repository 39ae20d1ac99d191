import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { operations } from '@remit/service/operations/index'
import type { Operation } from '@remit/service/testing/calls/serviceOperation'
import { replaceBetween } from '@remit/service/testing/configuration/documentVariables'
import { PER_BLOCK } from '@remit/service/testing/doctor/estimate'
import { afterAll, describe, expect, it } from 'vitest'
import { hourlyCosts, type OperationCost, operationCosts, sourcesOfPrices } from './costTables.ts'
import { useLife } from './parity/life.ts'
import { addressOf } from './parity/surfaces.ts'
import { useCountingProxy } from './support/nodes/countingProxy.ts'
import { indexed } from './support/service/indexed.ts'
import { startTestService, type TestService, useTestService } from './support/service/testService.ts'

const life = await useLife()
const proxy = await useCountingProxy(life.chain.url)
const costs: OperationCost[] = []

const guide = new URL('../docs/nodes.md', import.meta.url)
const COMMAND = 'npm run bench -- upstream'

/** `npm run bench -- upstream` writes the figures into docs/nodes.md. */
afterAll(() => {
  if (process.env.RECORD_COSTS !== 'true') return
  const tables = [hourlyCosts(), sourcesOfPrices(), operationCosts(costs)].join('\n\n')
  writeFileSync(guide, replaceBetween(readFileSync(guide, 'utf8'), COMMAND, `${tables}\n`))
})

/** How many HTTP requests the guide says that an operation takes. */
function documented(operation: string): number {
  const row = readFileSync(guide, 'utf8').match(
    new RegExp(`^\\| (?:[^|]* )?\`${operation}\`,?(?: [^|]*)?\\| (\\d+) `, 'm'),
  )
  return Number(row?.[1])
}

const folder = mkdtempSync(join(tmpdir(), 'remit-test-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
const store = { DATABASE_URL: `file:${join(folder, 'remit.db')}` }
/** Fills the index with requests of its own, which are not counted. */
await useTestService([life.chain], store)

/** A service that knows its chain, its head and its index, and has read nothing yet. */
async function coldService(): Promise<TestService> {
  const service = await startTestService([{ ...life.chain, url: proxy.url }], { ...store, INDEXER: 'false' })
  await indexed(service, life.chain)
  proxy.reset()
  return service
}

/** What the operation answers, but for the id that each request has of its own. */
async function call(service: TestService, operation: Operation): Promise<unknown> {
  const input = life.sample(operation)
  const { status, body } =
    operation.rest?.method === 'POST'
      ? await service.post(operation.rest.path, input)
      : await service.get(addressOf(operation, input, {}))
  expect(status).toBe(200)
  const { requestId: _, ...answer } = body
  return answer
}

/** What each operation may cost while its answer is not known: a batch is read, and then proven. */
function allowedCold(operation: Operation): number {
  if (operation.name === 'get_transaction_status') return 2
  // What remit does behind its first calls is simulated once they are known.
  if (operation.name === 'get_account_outlook') return 2
  // The settings bound the simulation, and its logs name the tokens.
  if (operation.name === 'simulate_remit') return 3
  // Whether the calls of a subscribe work, running them shows. A remit has been run to find out what it would do.
  if (operation.name.startsWith('check_subscribe_readiness')) return 2
  return operation.effect === 'prepare' ? 2 : 1
}

describe.each(
  operations
    // A pass is a membership, signed: only who has signed in may ask for one. A permit that is left is asked about by later prepares.
    .filter(
      ({ onChain, rest, audience }) =>
        onChain && rest !== null && audience !== 'visitors' && audience !== 'wallets',
    )
    .map((operation) => [operation.name, operation] as const),
)('%s', (name, operation) => {
  it('costs a bounded number of HTTP requests when cold, and a read none on the same head', async () => {
    const service = await coldService()
    try {
      const first = await call(service, operation)
      const cold = proxy.reads.length
      const methods = proxy.reads.flat()
      const second = await call(service, operation)
      const warm = proxy.reads.length - cold
      costs.push({ operation: name, requests: cold, methods })
      expect(cold).toBeLessThanOrEqual(allowedCold(operation))
      if (process.env.RECORD_COSTS !== 'true') expect(documented(name), COMMAND).toBe(cold)
      if (operation.effect === 'read') {
        expect(warm).toBe(0)
        expect(second).toEqual(first)
      }
    } finally {
      await service.close()
    }
  })
})

it('a new block costs one request for the index', async () => {
  const { chain } = life
  const service = await startTestService([{ ...chain, url: proxy.url }], {
    DATABASE_URL: `file:${join(folder, 'filled.db')}`,
  })
  try {
    await indexed(service, chain)
    proxy.reset()
    await chain.client.mine({ blocks: 1 })
    await indexed(service, chain)
    const forLogs = proxy.reads.filter((methods) => methods.includes('eth_getLogs'))
    // An audit may share the HTTP request.
    const indexing = forLogs.map((methods) => methods.filter((method) => method !== 'eth_call').toSorted())
    expect(indexing).toEqual([[...PER_BLOCK.index].toSorted()])
  } finally {
    await service.close()
  }
})

it('equal reads in flight share one request', async () => {
  const service = await coldService()
  try {
    const bodies = await Promise.all(Array.from({ length: 20 }, () => service.get('/protocol/state')))
    expect(new Set(bodies.map(({ body }) => JSON.stringify(body))).size).toBe(1)
    expect(proxy.reads).toHaveLength(1)
  } finally {
    await service.close()
  }
})

describe.each(
  operations
    .filter(({ effect }) => effect === 'prepare')
    .map((operation) => [operation.name, operation] as const),
)('%s', (_, operation) => {
  it('costs three HTTP requests at most when cold on a node that cannot simulate', async () => {
    proxy.fail({
      answer: ({ method }) =>
        method === 'eth_simulateV1'
          ? { error: { code: -32601, message: 'the method eth_simulateV1 does not exist' } }
          : undefined,
    })
    const service = await coldService()
    try {
      await call(service, operation)
      expect(proxy.reads.length).toBeLessThanOrEqual(3)
    } finally {
      await service.close()
    }
  })
})
