import { type Address, getAddress } from 'viem'
import * as z from 'zod'
import { Chains } from '../../src/chain/Chains.ts'
import { ChainEntry } from '../../src/chain/registry.ts'
import type { Operation } from '../../src/core/operation.ts'
import { noPasses } from '../../src/core/ports/passes.ts'
import { getAccountOutlook } from '../../src/operations/outlook/getAccountOutlook.ts'
import { simulateRemit } from '../../src/operations/simulate/simulateRemit.ts'
import type { World } from '../differential/world.ts'
import { forecastHere, OF_EACH_BLOCK } from '../support/chain/forecastHere.ts'
import { WALL_OF_TEST_CHAINS } from '../support/service/wallOfTestChains.ts'

const noIndex = async () => undefined

const Quantity = z.object({ amountRaw: z.string().transform(BigInt) }).transform(({ amountRaw }) => amountRaw)
const Day = z.object({ dayNumber: z.number() }).transform(({ dayNumber }) => dayNumber)

const Charge = z.object({
  day: Day,
  subscriptionId: z.string(),
  token: z.string(),
  taken: Quantity,
  verdict: z.enum(['pays', 'fails', 'waits', 'skipped']),
  failsBy: z.string().nullable(),
  missing: z.object({ allowance: Quantity, balance: Quantity }).nullable(),
  blockedBy: z.string().nullable(),
  skippedBecause: z.string().nullable(),
})

const Outlook = z.object({
  today: Day,
  through: Day,
  charges: z.array(Charge),
  hasMore: z.literal(false),
  remit: z.object({
    seen: z.object({ calls: z.number(), through: Day.nullable() }),
    stop: z
      .object({ day: Day, blockedBy: z.string(), issues: z.array(z.object({ message: z.string() })) })
      .nullable(),
  }),
  asOf: z.object({ blockHash: z.string() }),
})

const Simulation = z.object({
  calls: z.array(
    z.object({
      dayNumber: z.number(),
      charges: z.array(
        z.object({
          subscriptionId: z.string(),
          subscriber: z.string(),
          token: z.string(),
          outcome: z.enum(['pays', 'fails']),
        }),
      ),
    }),
  ),
  unfinished: z.object({ from: Day, because: z.string() }).nullable(),
  asOf: z.object({ blockHash: z.string() }),
})

export type TestedSimulation = z.output<typeof Simulation>
export type TestedOutlook = z.output<typeof Outlook>
export type TestedCharge = z.output<typeof Charge>

export interface Told {
  readonly outlooks: ReadonlyMap<Address, TestedOutlook>
  readonly simulation: TestedSimulation
}

/**
 * Asks the operation for outlooks, as the service would, without the service around it: thousands of states come and
 * go, and an index would only follow them.
 */
export function openOutlooks({ chain, tokens }: World) {
  const chains: Chains = new Chains({
    entries: [
      ChainEntry.parse({
        chainId: chain.chainId,
        name: 'Test chain',
        contractAddress: chain.contract,
        rpcUrls: [chain.url],
        tokens: tokens.map(({ address }) => address),
        pollMs: 60_000,
        rollbackAfterMs: 0,
      }),
    ],
    defaultChainId: chain.chainId,
    log: { info() {}, warn() {}, error() {} },
    wallNow: WALL_OF_TEST_CHAINS,
    forecaster: forecastHere(() => chains),
    forecastTimes: OF_EACH_BLOCK,
  })

  /** The outlooks of these accounts and a simulation of remit on the last day, all at the latest block. */
  async function ask(accounts: readonly Address[], days: number): Promise<Told> {
    const latest = await chain.client.getBlock()
    const minBlock = Number(latest.number)
    for (let attempt = 0; attempt < 100; attempt += 1) {
      const told = await chains.withView(chain.chainId, { minBlock }, async (view) => {
        const run = async (operation: Operation, input: object) => {
          const bound = operation.bind(input, 'developer')
          if (bound.scope !== 'chain') throw new Error(`${operation.name} is not read on a chain`)
          const context = {
            requestId: 'r',
            lane: 'developer',
            signal: undefined,
            passes: noPasses,
            askIndex: noIndex,
          } as const
          return (await bound.run({ ...context, chain: view })).body
        }
        const rows = accounts.map(async (account) => {
          const outlook = await run(getAccountOutlook, { address: account, days, first: 500 })
          return [getAddress(account), Outlook.parse(outlook)] as const
        })
        const outlooks = new Map(await Promise.all(rows))
        const simulation = Simulation.parse(await run(simulateRemit, { dayNumber: view.today + days }))
        return { outlooks, simulation }
      })
      const answers = [told.simulation, ...told.outlooks.values()]
      if (answers.every(({ asOf }) => asOf.blockHash === latest.hash)) return told
      await new Promise((resolve) => setTimeout(resolve, 5))
    }
    throw new Error(`Block ${latest.number} was never seen`)
  }
  return { ask, close: () => chains.stop() }
}
