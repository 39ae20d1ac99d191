import { parseUnits } from 'viem'
import { afterAll, describe, expect, it } from 'vitest'
import * as z from 'zod'
import { TestToken } from '../../contracts/generated/TestToken.ts'
import { operations } from '../../src/operations/index.ts'
import { contractAt } from '../support/chain/contractAt.ts'
import { useTestChain } from '../support/chain/useTestChain.ts'
import { useTestService } from '../support/service/testService.ts'
import { act } from './acts.ts'
import { expectPromiseKept } from './promises.ts'
import { randomOf } from './random.ts'
import { expectNothingThere, expectRefusedByChain, expectSameRevert } from './refusals.ts'
import { type PrepareRequest, someRequest } from './requests.ts'
import { createdIn, noteCreated, openWorld } from './world.ts'

/** `DIFFERENTIAL_SEEDS=7,8 DIFFERENTIAL_STEPS=1000` for longer runs, or for one that failed. */
const seeds = (process.env.DIFFERENTIAL_SEEDS ?? '1,2,3,4').split(',').map(Number)
const steps = Number(process.env.DIFFERENTIAL_STEPS ?? 130)
const routes = new Set(operations.map(({ rest }) => rest?.path))

const chain = await useTestChain({ terms: { maxRemits: 3n } })
const world = await openWorld(chain)
for (const { address, decimals } of world.tokens) {
  const { alice, bob, carol, dave, otherProvider } = chain.wallets
  for (const account of [alice, bob, carol, dave, otherProvider]) {
    const token = contractAt(chain.client, address, TestToken.abi)
    await token.send(account, 'mint', [account, parseUnits('200', decimals)])
  }
}
await chain.keep()
const service = await useTestService([
  { ...chain, tokens: Object.fromEntries(world.tokens.map((t) => [t.name, t.address])) },
])

/** How often each route ended how, over all seeds. */
const outcomes = new Map<string, number>()
const count = (what: string) => outcomes.set(what, (outcomes.get(what) ?? 0) + 1)
afterAll(() => {
  if (process.env.DIFFERENTIAL_SHOW)
    console.log(
      [...outcomes]
        .sort()
        .map(([what, n]) => `${n} ${what}`)
        .join('\n'),
    )
})

describe('what is prepared succeeds as promised, and what is refused by name the chain refuses too', () => {
  it.each(seeds)(
    'seed %i',
    async (seed) => {
      const random = randomOf(seed)
      const trace: string[] = []
      world.subscriptions.length = 0
      world.joined.length = 0
      world.remitRefusal = []
      for (let step = 0; step < steps; step += 1) {
        try {
          for (let acts = random.below(3); acts > 0; acts -= 1) trace.push(`     ${await act(world, random)}`)
          const request = await someRequest(world, random)
          trace.push(`${String(step).padStart(4)} ${request.words}`)
          trace.push(`     → ${await take(request, random.oneIn(4))}`)
        } catch (error) {
          throw new Error(`seed ${seed}, step ${step}:\n${trace.slice(-60).join('\n')}\n`, { cause: error })
        }
      }
    },
    20_000 + steps * 1_000,
  )

  it.runIf(seeds.length * steps >= 500)('every write was prepared at least once', () => {
    const writes = [...routes].flatMap((path) => path?.match(/^\/prepare\/(\w+)$/)?.[1] ?? [])
    expect(writes.filter((route) => !outcomes.has(`${route} 200 prepared`))).toEqual([])
  })
})

/** Asks the service, and then the chain. Tells how it ended. */
async function take(request: PrepareRequest, alsoReadiness: boolean): Promise<string> {
  const { route, body: asked, isAbsurd } = request
  await untilSeen()
  const { status, body } = await service.post(`/prepare/${route}`, asked)
  const code = String(body.code ?? 'prepared')
  count(`${route} ${status} ${code}`)
  if (alsoReadiness) await expectReadiness(request, status, body)
  if (route === 'remit') world.remitRefusal = []
  if (status === 200) {
    const receipts = await expectPromiseKept(world, service, request, body)
    const created = createdIn(
      world,
      receipts.flatMap(({ logs }) => logs),
    )
    if (created !== undefined) await noteCreated(world, created)
    if (request.joins) world.joined.push({ account: request.from, subscription: request.joins })
    return `${receipts.length} sent`
  }
  if (code === 'NOT_READY') {
    const codes = await expectRefusedByChain(world, request, body)
    for (const issue of codes) count(`${issue}`)
    if (route === 'remit') world.remitRefusal = codes
    return codes.join()
  }
  if (code === 'SIMULATION_FAILED') {
    await expectSameRevert(world, request, body)
    return JSON.stringify(body.reason)
  }
  if (code === 'NOT_FOUND' && isAbsurd) await expectNothingThere(world, request)
  else if (!isAbsurd || status >= 500) {
    throw new Error(`${status} ${JSON.stringify(body)}\n${service.logged.slice(-3).join('\n')}`)
  }
  return code
}

const State = z.object({ asOf: z.object({ blockHash: z.string() }) })

/** The service is at the latest block, by its hash: states thrown away have had blocks of the same number. */
async function untilSeen(): Promise<void> {
  const { number, hash } = await chain.client.getBlock()
  for (let attempt = 0; attempt < 100; attempt += 1) {
    const { body } = await service.get(`/protocol/state?minBlock=${number}`)
    if (State.parse(body).asOf.blockHash === hash) return
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  throw new Error(`The service has not seen block ${number}`)
}

const CHECKS: Readonly<Record<string, string>> = {
  subscribe: '/check_subscribe_readiness',
  subscribe_by_id: '/check_subscribe_readiness_by_id',
  remit: '/check_remit_readiness',
}

/** Readiness, asked for in any way, says of the same block what the prepare says. */
async function expectReadiness(
  { route, body }: PrepareRequest,
  status: number,
  prepared: Record<string, unknown>,
) {
  const check = CHECKS[route]
  const asks: [string, object][] = [[`/prepare/${route}`, { ...body, readinessOnly: true }]]
  if (check !== undefined && routes.has(check)) asks.push([check, body])
  for (const [path, input] of asks) {
    const readiness = await service.post(path, input)
    if (prepared.code === 'NOT_READY') {
      expect(readiness.body, path).toMatchObject({ ready: false, issues: prepared.issues })
    } else if (status === 200 || prepared.code === 'SIMULATION_FAILED') {
      expect(readiness.body, path).toMatchObject({ ready: true, issues: [] })
    } else {
      expect([readiness.status, readiness.body.code], path).toEqual([status, prepared.code])
    }
  }
}
