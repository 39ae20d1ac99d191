import { TestToken } from '@remit/contracts/TestToken'
import { operations } from '@remit/service/operations/index'
import { parseUnits } from 'viem'
import { afterAll, expect, it } from 'vitest'
import * as z from 'zod'
import { contractAt } from '../support/chain/contractAt.ts'
import type { TestChain } from '../support/chain/useTestChain.ts'
import { trialsTimeoutMs } from '../support/runner/trials.ts'
import { startTestService, type TestService } from '../support/service/testService.ts'
import { act } from './acts.ts'
import { expectPromiseKept } from './promises.ts'
import { randomOf } from './random.ts'
import { expectNothingThere, expectRefusedByChain, expectSameRevert } from './refusals.ts'
import { extension, type PrepareRequest, someRequest } from './requests.ts'
import { createdIn, noteCreated, openWorld, type World } from './world.ts'

const routes = new Set(operations.map(({ rest }) => rest?.path))

export interface Run {
  readonly name: string
  readonly seed: number
  /** Requests that it makes. */
  readonly steps: number
  /** Puts another node between the service and the chain. */
  readonly startNode?: () => Promise<{ readonly url: string; close(): Promise<void> }>
}

/** The terms under which a chain of such a run is deployed. */
export const DIFFERENTIAL_TERMS = { maxRemits: 3n }

/**
 * Random lives: what the service prepares succeeds on the chain as promised, and what it refuses by name the chain
 * refuses too.
 */
export async function differential(chain: TestChain, runs: readonly Run[]): Promise<void> {
  const world = await openWorld(chain)
  for (const { address, decimals } of world.tokens) {
    const { alice, bob, carol, dave, otherProvider } = chain.wallets
    for (const account of [alice, bob, carol, dave, otherProvider]) {
      const token = contractAt(chain.client, address, TestToken.abi)
      await token.send(account, 'mint', [account, parseUnits('200', decimals)])
    }
  }
  await chain.keep()
  const tokens = Object.fromEntries(world.tokens.map((token) => [token.name, token.address]))
  const outcomes = new Outcomes()

  const steps = Math.max(...runs.map((run) => run.steps))
  it.each(runs.map((run) => [run.name, run] as const))(
    '%s',
    async (_, run) => {
      const node = await run.startNode?.()
      const service = await startTestService([{ ...chain, url: node?.url ?? chain.url, tokens }])
      try {
        await live({ world, service, outcomes }, run)
      } finally {
        await service.close()
        await node?.close()
      }
    },
    trialsTimeoutMs(30_000 + steps * 1_000),
  )

  // A short run does not come to all of them, and one life over many nodes is the same life.
  const stepsOfLives = new Map(runs.map((run) => [run.seed, run.steps]))
  if ([...stepsOfLives.values()].reduce((sum, each) => sum + each, 0) < 500) return
  it('every write was prepared at least once', () => {
    const writes = [...routes].flatMap((path) => path?.match(/^\/prepare\/(\w+)$/)?.[1] ?? [])
    expect(writes.filter((route) => !outcomes.has(`${route} 200 prepared`))).toEqual([])
  })
}

async function live(ground: Ground, { seed, steps }: Run): Promise<void> {
  const { world } = ground
  const random = randomOf(seed)
  const trace: string[] = []
  world.subscriptions.length = 0
  world.joined.length = 0
  world.remitRefusal = []
  for (let step = 0; step < steps; step += 1) {
    try {
      for (let acts = random.below(3); acts > 0; acts -= 1) trace.push(`     ${await act(world, random)}`)
      const isExtension = world.joined.length > 0 && random.oneIn(25)
      const request = isExtension ? extension(world, random) : await someRequest(world, random)
      trace.push(`${String(step).padStart(4)} ${request.words}`)
      trace.push(`     → ${await take(ground, request, random.oneIn(4))}`)
    } catch (error) {
      throw new Error(`seed ${seed}, step ${step}:\n${trace.slice(-60).join('\n')}\n`, { cause: error })
    }
  }
}

/** How often each route ended how, over all seeds. Printed with `DIFFERENTIAL_SHOW` set. */
class Outcomes {
  readonly #counts = new Map<string, number>()

  constructor() {
    afterAll(() => {
      if (!process.env.DIFFERENTIAL_SHOW) return
      console.log(
        [...this.#counts]
          .sort()
          .map(([what, n]) => `${n} ${what}`)
          .join('\n'),
      )
    })
  }

  count(what: string): void {
    this.#counts.set(what, (this.#counts.get(what) ?? 0) + 1)
  }

  has(what: string): boolean {
    return this.#counts.has(what)
  }
}

interface Ground {
  readonly world: World
  readonly service: TestService
  readonly outcomes: Outcomes
}

/** Asks the service, and then the chain. Tells how it ended. */
async function take(ground: Ground, request: PrepareRequest, alsoReadiness: boolean): Promise<string> {
  const { world, service, outcomes } = ground
  const { route, body: asked, isAbsurd } = request
  await untilSeen(ground)
  const { status, body } = await service.post(`/prepare/${route}`, asked)
  const code = String(body.code ?? 'prepared')
  outcomes.count(`${route} ${status} ${code}`)
  if (alsoReadiness) await expectReadiness(service, request, status, body)
  if (route === 'remit') world.remitRefusal = []
  if (status === 200) {
    const receipts = await expectPromiseKept(world, service, request, body)
    const created = createdIn(
      world,
      receipts.flatMap(({ logs }) => logs),
    )
    if (created !== undefined) await noteCreated(world, created)
    if (request.joins && receipts.at(-1)?.status === 'success')
      world.joined.push({ account: request.from, subscription: request.joins })
    return `${receipts.length} sent`
  }
  if (code === 'NOT_READY') {
    const codes = await expectRefusedByChain(world, request, body)
    for (const issue of codes) outcomes.count(issue)
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

/**
 * The service is at the latest block, by its hash: states thrown away have had blocks of the same number. A node that lags
 * or is busy may cost an error by name on the way.
 */
async function untilSeen({ world, service }: Ground): Promise<void> {
  const { number, hash } = await world.chain.client.getBlock()
  let last: unknown
  for (let attempt = 0; attempt < 100; attempt += 1) {
    const { body } = await service.get(`/protocol/state?minBlock=${number}`)
    if (State.safeParse(body).data?.asOf.blockHash === hash) return
    last = body
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  throw new Error(`The service has not seen block ${number}: ${JSON.stringify(last)}`)
}

const CHECKS: Readonly<Record<string, string>> = {
  subscribe: '/check_subscribe_readiness',
  subscribe_by_id: '/check_subscribe_readiness_by_id',
  remit: '/check_remit_readiness',
}

/** Readiness, asked for in any way, says of the same block what the prepare says. */
async function expectReadiness(
  service: TestService,
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
    } else if (prepared.code === 'SIMULATION_FAILED') {
      const issues = [{ code: prepared.code, message: prepared.error, reason: prepared.reason }]
      expect(readiness.body, path).toMatchObject({ ready: false, issues })
    } else if (status === 200) {
      expect(readiness.body, path).toMatchObject({ ready: true, issues: [] })
    } else {
      expect([readiness.status, readiness.body.code], path).toEqual([status, prepared.code])
    }
  }
}
