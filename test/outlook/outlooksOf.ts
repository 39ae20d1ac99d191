import { Chains } from '@remit/engine/chain/Chains'
import { ChainEntry } from '@remit/engine/chain/registry'
import { makeAt, prepareAt } from '@remit/engine/declare/chainAnswers'
import { decode } from '@remit/engine/declare/codec'
import type { ChainOperation } from '@remit/engine/declare/operation'
import { ForecastUnavailableError } from '@remit/engine/errors/chain'
import { NotReadyError, SimulationFailedError } from '@remit/engine/errors/prepare'
import { getAccountOutlook } from '@remit/engine/operations/outlook/getAccountOutlook'
import { prepareSubscribe } from '@remit/engine/operations/prepare/subscribe/prepareSubscribe'
import { simulateRemit } from '@remit/engine/operations/protocol/simulateRemit'
import { BlockGoneError } from '@remit/engine/ports/chains'
import { noPasses } from '@remit/service/testing/ports/portal'
import { type Address, getAddress, type Hex, isHex } from 'viem'
import * as z from 'zod'
import type { World } from '../differential/world.ts'
import { forecastHere, OF_EACH_BLOCK } from '../support/chain/forecastHere.ts'
import { WALL_OF_TEST_CHAINS } from '../support/service/wallOfTestChains.ts'

const noIndex = async () => undefined

const REQUEST_ID = '00000000-0000-4000-8000-000000000000'

const AnyAddress = z.string().transform((address) => getAddress(address))
const HexData = z.custom<Hex>((value) => isHex(value))
const Quantity = z.object({ amountRaw: z.string().transform(BigInt) }).transform(({ amountRaw }) => amountRaw)
const Day = z.object({ dayNumber: z.number() }).transform(({ dayNumber }) => dayNumber)

const Charge = z.object({
  day: Day,
  subscriptionId: z.string(),
  token: z.string(),
  amountRaw: z.string().transform(BigInt),
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
  wallet: z.object({
    tokens: z.array(
      z.object({
        token: z.object({ address: AnyAddress }),
        toAdd: z.object({ allowance: Quantity, balance: Quantity }),
        toAddIs: z.enum(['least', 'enough', 'atLeast']),
      }),
    ),
  }),
  remit: z.object({
    seen: z.object({ calls: z.number(), through: Day.nullable() }),
    stop: z
      .object({ day: Day, blockedBy: z.string(), issues: z.array(z.object({ message: z.string() })) })
      .nullable(),
  }),
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
})

const Subscribing = z.object({
  unsignedTransactions: z.array(z.object({ to: AnyAddress, data: HexData })),
  warnings: z.array(z.looseObject({ code: z.string(), subscriptions: z.array(z.string()).optional() })),
})

export type Subscribing = z.output<typeof Subscribing>
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

  type Run = (operation: ChainOperation, input: object) => Promise<unknown>

  /** Runs operations at the latest block. */
  async function atLatest<Told>(
    ask: (run: Run, view: { readonly today: number }) => Promise<Told>,
  ): Promise<Told> {
    const latest = await chain.client.getBlock()
    const minBlock = Number(latest.number)
    for (let attempt = 0; attempt < 100; attempt += 1) {
      const asking = chains.withView(chain.chainId, { minBlock }, async (view) => {
        const run: Run = async (operation, input) => {
          const { declaration } = operation
          const asked = decode(operation, { input }, 'developer')
          if (declaration.kind !== 'chain') {
            return (await prepareAt({ requestId: REQUEST_ID, chain: view }, operation, asked)).body
          }
          const context = {
            requestId: REQUEST_ID,
            lane: 'developer',
            signal: undefined,
            passes: noPasses,
            askIndex: noIndex,
          } as const
          return (await makeAt({ ...context, chain: view }, operation, declaration, asked)).body
        }
        // A block that is gone is noticed only where something is read at it.
        return { answer: await ask(run, view), blockHash: view.asOf.blockHash }
      })
      const told = await asking.catch((error: unknown) => {
        if (isOfGoneBlock(error)) return undefined
        throw error
      })
      if (told?.blockHash === latest.hash) return told.answer
      await new Promise((resolve) => setTimeout(resolve, 5))
    }
    throw new Error(`Block ${latest.number} was never seen`)
  }

  return {
    close: () => chains.stop(),

    /** What an operation answers, or prepares. */
    answer: (operation: ChainOperation, input: object): Promise<unknown> =>
      atLatest((run) => run(operation, input)),

    /** The outlook of one account, without a simulation beside it. */
    outlook: async (address: Address, days: number): Promise<TestedOutlook> =>
      Outlook.parse(await atLatest((run) => run(getAccountOutlook, { address, days, first: 500 }))),

    /** The outlooks of these accounts and a simulation of remit on the last day. */
    ask: (accounts: readonly Address[], days: number): Promise<Told> =>
      atLatest(async (run, { today }) => {
        const rows = accounts.map(async (account) => {
          const outlook = await run(getAccountOutlook, { address: account, days, first: 500 })
          return [getAddress(account), Outlook.parse(outlook)] as const
        })
        const outlooks = new Map(await Promise.all(rows))
        const simulation = Simulation.parse(await run(simulateRemit, { dayNumber: today + days }))
        return { outlooks, simulation }
      }),

    /** What subscribing takes with the others' dates kept; `undefined` where it is refused. */
    subscribing: (from: Address, id: Hex, approvalPeriods: number): Promise<Subscribing | undefined> =>
      atLatest(async (run) => {
        try {
          const wish = { from, id, approvalPeriods, keepCoverage: true }
          return Subscribing.parse(await run(prepareSubscribe.byId, wish))
        } catch (error) {
          if (error instanceof NotReadyError || error instanceof SimulationFailedError) return undefined
          throw error
        }
      }),
  }
}

/** A forecast is begun at the newest block that was seen: the chain may have gone back from there. */
function isOfGoneBlock(error: unknown): boolean {
  return error instanceof ForecastUnavailableError && error.cause instanceof BlockGoneError
}
