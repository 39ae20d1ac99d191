import { dayNumberAt } from '@remit/protocol/calendar'
import { decodeTokenLog } from '@remit/protocol/logs/events'
import type { CreditTrial } from '@remit/protocol/payments/Payment'
import { isNotDue } from '@remit/protocol/remit/forecastFromProbe'
import { NOT_PROBED, type RemitProbe } from '@remit/protocol/remit/observeRemit'
import type { TokenTransfer } from '@remit/protocol/remit/remitState'
import {
  type Address,
  decodeFunctionResult,
  encodeFunctionData,
  erc20Abi,
  getAddress,
  isAddressEqual,
  keccak256,
  stringToHex,
} from 'viem'
import type { BlockReader } from '../block/BlockReader.ts'
import type { BlockView } from '../block/BlockView.ts'
import { BlockCache } from '../block/blockCache.ts'
import type { SimulatedCall } from '../block/simulateV1.ts'
import { type ChainEntry, gasCapOf } from '../chain/registry.ts'
import type { RemitTrials, WayOutTrial } from '../ports/remit.ts'
import { type OrderedCall, simulateInOrder } from '../simulation/simulateInOrder.ts'
import {
  deeplyProbedCalls,
  PROBED_CALLS,
  REMIT_GAS,
  STEP_GAS,
  TRANSFER_GAS,
} from '../simulation/simulationBudget.ts'
import { runFutureRemits } from './futureRemits.ts'
import { probeRemit, remitCall, runRemits } from './remitProbe.ts'
import { refusalIn, transferCall, tryTransfers } from './remitTransfers.ts'

// All simulations of remit() at one block (`RemitTrials` in ports/remit.ts): the next calls (a probe), calls on a later day, single
// transfers, what a token credits, and ways out of a refused transfer. What was tried is kept by block here. The last two are also made
// here, the others in the files beside it.

/** How many trials are kept, a small object each beside its charges. */
const MOST_TRIALS = 600
/** How many charges the kept trials may have together. */
const MOST_CHARGES = 100_000

/**
 * Makes the trials of one chain (`RemitTrials`), at any block. Each caller's remit is tried once while the head and the day stay the
 * same.
 */
export function createRemitTrials(options: {
  blocks: BlockReader
  entry: Pick<ChainEntry, 'contractAddress' | 'txGasCap'>
  onCacheAsked?: (known: boolean) => void
}): (view: BlockView) => RemitTrials {
  const { blocks, entry, onCacheAsked = () => {} } = options
  const contract = entry.contractAddress
  const gasCap = gasCapOf(entry)
  // Whether the node has eth_simulateV1, as the last probe found. A probe comes before any other trial.
  let simulates = true
  const cache = new BlockCache({ max: MOST_TRIALS, maxRows: MOST_CHARGES, onAsked: onCacheAsked })

  // Callers share an answer, so one caller that leaves must not abort it.
  const shared = ({ signal: _, ...view }: BlockView): BlockView => view
  const probe = (view: BlockView, caller: Address, calls: number) =>
    cache.get(view.asOf.blockHash, `probe:${dayNumberAt(view.now)}:${caller}:${calls}`, async () => {
      const value = await tryRemits(shared(view), caller, calls)
      return { value, rows: rowsOf(value) }
    })

  async function tryRemits(view: BlockView, caller: Address, calls: number): Promise<RemitProbe> {
    const simulated = await probeRemit(blocks, view, { contract, caller, calls, gasCap })
    simulates = simulated.method !== 'none'
    if (simulates) return simulated
    // Costs no request, because whoever tries remit reads the backlog as well.
    const { lists } = await view.read.backlog(caller)
    const named = lists.flatMap(({ entries }) => entries.map(({ terms }) => getAddress(terms.token)))
    const tokens = [...new Set(named)]
    return (await runRemits(blocks, view, { contract, caller, tokens, gasCap })) ?? NOT_PROBED
  }

  return (view) => ({
    gasCap,
    probe: (caller, deep) => probe(view, caller, deep === undefined ? PROBED_CALLS : deepCalls(deep)),
    future: (caller, dayNumber, maxRemits) =>
      cache.get(view.asOf.blockHash, `future:${dayNumberAt(view.now)}:${dayNumber}:${caller}`, async () => {
        const plan = { contract, caller, dayNumber, maxRemits, gasCap }
        const value = await runFutureRemits(blocks, shared(view), plan)
        return { value, rows: value.calls.reduce((sum, { charges }) => sum + charges.length, 1) }
      }),
    transfers: (caller, plan) =>
      cache.get(view.asOf.blockHash, `transfers:${questionOf(view, caller, plan)}`, async () => {
        const all = { ...plan, contract, caller, simulates, gasCap }
        const value = await tryTransfers(blocks, shared(view), all)
        return { value, rows: value.refusals.length }
      }),
    tryCredits: (transfers) => tryCredits(blocks, shared(view), contract, transfers),
    async waysOut(caller, plan) {
      if (!simulates) return undefined
      const question = `waysOut:${questionOf(view, caller, plan)}`
      const { worked } = await cache.get(view.asOf.blockHash, question, async () => {
        const all = { ...plan, contract, caller, gasCap }
        return { value: { worked: await tryWaysOut(blocks, shared(view), all) }, rows: 1 }
      })
      return worked
    },
  })
}

/** How many calls a deep probe makes. */
function deepCalls({ maxRemits, calls }: { maxRemits: number; calls?: number }): number {
  return Math.min(deeplyProbedCalls(maxRemits), calls ?? Number.POSITIVE_INFINITY)
}

/** A short key for a long plan. */
function questionOf({ now }: BlockView, caller: Address, plan: object): string {
  const text = JSON.stringify(plan, (_, value: unknown) => (typeof value === 'bigint' ? `${value}` : value))
  return keccak256(stringToHex(`${dayNumberAt(now)}:${caller}:${text}`))
}

function rowsOf(probe: RemitProbe): number {
  if (probe.method !== 'eth_simulateV1') return probe.calls.length
  return probe.calls.reduce((sum, { charges }) => sum + charges.length, 0)
}

/** How many calls try one transfer: both balances, the transfer, and both balances again. */
const CALLS_EACH = 5

/**
 * Makes each transfer as the contract would, and tells what the token logs and what its balances show.
 *
 * All is one simulation, so nothing else moves the balances: no other transaction, and no rebase. Takes one HTTP request,
 * and some more where the node grants less gas than that.
 */
async function tryCredits(
  blocks: BlockReader,
  view: BlockView,
  contract: Address,
  transfers: readonly TokenTransfer[],
): Promise<readonly (CreditTrial | undefined)[]> {
  const calls = transfers.flatMap((transfer): OrderedCall[] => {
    const balances = [transfer.from, transfer.to].map((account) => ({
      from: contract,
      to: transfer.token,
      data: encodeFunctionData({ abi: erc20Abi, functionName: 'balanceOf', args: [account] }),
      gas: TRANSFER_GAS,
    }))
    return [...balances, { ...transferCall(contract, transfer), gas: TRANSFER_GAS }, ...balances]
  })
  const answers = (await simulateInOrder(blocks, view, calls))?.answers ?? []
  return transfers.map((transfer, index) =>
    trialIn(transfer, answers.slice(index * CALLS_EACH, (index + 1) * CALLS_EACH)),
  )
}

/** What the five answers show of a transfer; `undefined` if it is refused, or something of it cannot be read. */
function trialIn(
  { token, from, to, amountRaw }: TokenTransfer,
  [payerBefore, receiverBefore, moved, payerAfter, receiverAfter]: readonly SimulatedCall[],
): CreditTrial | undefined {
  if (!moved?.logs || refusalIn(moved) !== undefined) return undefined
  const left = difference(payerAfter, payerBefore)
  const arrived = difference(receiverBefore, receiverAfter)
  if (left === undefined || arrived === undefined) return undefined
  const { logs } = moved
  const logged = (account: Address) =>
    logs.reduce((sum, log) => {
      const event = isAddressEqual(log.address, token) ? decodeTokenLog(log) : undefined
      if (event?.type !== 'Transfer') return sum
      const came = isAddressEqual(event.to, account) ? event.amountRaw : 0n
      const went = isAddressEqual(event.from, account) ? event.amountRaw : 0n
      return sum + came - went
    }, 0n)
  return { asked: amountRaw, loggedIn: logged(to), loggedOut: -logged(from), arrived, left }
}

/** `more` minus `less`. */
function difference(less: SimulatedCall | undefined, more: SimulatedCall | undefined): bigint | undefined {
  const [subtracted, balance] = [balanceIn(less), balanceIn(more)]
  return subtracted === undefined || balance === undefined ? undefined : balance - subtracted
}

/** The balance that a call of balanceOf returned; `undefined` where it failed, or returned anything but one word of 32 bytes. */
function balanceIn(call: SimulatedCall | undefined): bigint | undefined {
  if (call?.status !== 1n || call.returnData.length !== 66) return undefined
  return decodeFunctionResult({ abi: erc20Abi, functionName: 'balanceOf', data: call.returnData })
}

/**
 * Tries ways out of a stalled remit, each on its own state: `calls` calls of remit(), the steps of the way, and `pages` further
 * calls. Takes one HTTP request, and some more where the node grants less gas than that. `undefined` if
 * the node cannot simulate one of them, or not to its end.
 */
async function tryWaysOut(
  blocks: BlockReader,
  view: BlockView,
  plan: {
    contract: Address
    caller: Address
    calls: number
    pages: number
    ways: readonly WayOutTrial[]
    gasCap: bigint | undefined
  },
): Promise<readonly boolean[] | undefined> {
  const { contract, caller, calls, pages, ways, gasCap = REMIT_GAS } = plan
  const remits = (count: number, by: Address) =>
    Array.from({ length: count }, () => remitCall(contract, by, gasCap))
  const results = await Promise.all(
    ways.map(async (way) => {
      const tried = [
        ...remits(calls, caller),
        ...way.steps.map((step) => ({ ...step, gas: STEP_GAS })),
        ...remits(pages, way.caller),
      ]
      const found = await simulateInOrder(blocks, view, tried)
      if (found === undefined || found.cut !== undefined) return undefined
      const { answers } = found
      const isDone = answers.slice(0, -pages).every(({ status }) => status === 1n)
      return isDone && answers.slice(-pages).every(getsOn)
    }),
  )
  const known = results.filter((result) => result !== undefined)
  return known.length === results.length ? known : undefined
}

/** Whether a call of remit() got past what had stopped it: it succeeded, or reverted because nothing was due any more. */
function getsOn(answer: SimulatedCall): boolean {
  return answer.status === 1n || isNotDue({ data: answer.returnData, ranOutOfGas: false })
}
