import type { TokenTransfer } from '@remit/protocol/remit/remitState'
import { type Address, encodeFunctionData, erc20Abi, type Hex, isAddressEqual, slice } from 'viem'
import type { BlockReader } from '../block/BlockReader.ts'
import type { BlockView } from '../block/BlockView.ts'
import { ranOutOfGas, type SimulatedCall, type SimulationCall } from '../block/simulateV1.ts'
import type { TransferRefusal, TransferTrial } from '../ports/remit.ts'
import { simulateInOrder } from '../simulation/simulateInOrder.ts'
import {
  MOST_TRANSFERS_ALONE,
  MOST_TRIED_TRANSFERS,
  REMIT_GAS,
  TRANSFER_GAS,
} from '../simulation/simulationBudget.ts'
import { remitCall } from './remitProbe.ts'

// Tries the transfers that coming charges would make, without remit(): which of them does their token refuse? A refused one makes every
// remit() revert (remitWaysOut.ts), or blocks a membership's next charge (verdicts/). In order, as one simulation (`tryInOrder`); on nodes
// that cannot simulate so much, each alone by eth_call (`tryAlone`).

/** What an ERC-20 returns for a transfer that it made. Some return nothing. */
const YES = `0x${'1'.padStart(64, '0')}`

interface TransferPlan {
  readonly contract: Address
  readonly caller: Address
  /** Calls of remit() before the first transfer. */
  readonly calls: number
  readonly transfers: readonly TokenTransfer[]
  /** Whether the node is known to have eth_simulateV1. */
  readonly simulates: boolean
  readonly gasCap: bigint | undefined
}

/**
 * Tries transfers as the contract would make them, in their order and as one state, so that an account can spend what
 * it received before. One that is refused moves nothing, and the others go on.
 *
 * Takes one HTTP request, and some more where the node grants less gas than that. Without eth_simulateV1 it takes one or
 * two. Not all need be tried: the answer says how many were (`tried`).
 */
export async function tryTransfers(
  blocks: BlockReader,
  view: BlockView,
  plan: TransferPlan,
): Promise<TransferTrial> {
  if (plan.simulates) {
    const transfers = plan.transfers.slice(0, MOST_TRIED_TRANSFERS)
    const trial = await tryInOrder(blocks, view, { ...plan, transfers })
    if (trial !== undefined) return trial
  }
  return tryAlone(blocks, view, plan)
}

/** By eth_simulateV1; `undefined` if the node refuses to simulate so much. */
async function tryInOrder(
  blocks: BlockReader,
  view: BlockView,
  plan: TransferPlan,
): Promise<TransferTrial | undefined> {
  const { contract, caller, calls, transfers, gasCap = REMIT_GAS } = plan
  const before = Array.from({ length: calls }, () => remitCall(contract, caller, gasCap))
  const tried = transfers.map((transfer) => ({ ...transferCall(contract, transfer), gas: TRANSFER_GAS }))
  const found = await simulateInOrder(blocks, view, [...before, ...tried])
  // The node's gas did not reach the first transfer: each one tried alone says more.
  if (found === undefined || found.answers.length <= calls) return undefined
  const { answers, cut } = found
  // A remit() before them fails, so the state in which they would be made is not reached.
  if (answers.slice(0, calls).some(({ status }) => status !== 1n)) return undefined
  const refusals: TransferRefusal[] = []
  for (const [index, answer] of answers.slice(calls).entries()) {
    // Whether it succeeds with more gas is unknown, and so are the transfers after it.
    if (answer.status !== 1n && ranOutOfGas(answer, TRANSFER_GAS)) return { tried: index, refusals }
    const refusal = refusalIn(answer)
    if (refusal !== undefined) refusals.push({ index, data: refusal.data })
  }
  return { tried: answers.length - calls, refusals, ...(cut && { cut }) }
}

/** How a simulated transfer was refused; `undefined` if it was made. */
export function refusalIn({ status, returnData }: SimulatedCall): Omit<TransferRefusal, 'index'> | undefined {
  if (status !== 1n) return { data: returnData }
  return saysYes(returnData) ? undefined : { data: undefined }
}

/** Whether a token's answer means success, as SafeERC20 reads it: no data, or a first word of 1. */
function saysYes(returned: Hex): boolean {
  return returned === '0x' || (returned.length >= YES.length && slice(returned, 0, 32) === YES)
}

/**
 * Tries each transfer alone at the view's block. Of those between the same two accounts only the largest is tried, and
 * stands for all of them.
 *
 * What an earlier transfer would have brought is missing here. So a refusal counts only if its payer has the money
 * now, or if the token refuses a transfer of 0 between the two as well.
 */
async function tryAlone(
  blocks: BlockReader,
  view: BlockView,
  { contract, caller, transfers }: TransferPlan,
): Promise<TransferTrial> {
  const { wallets } = await view.read.backlog(caller)
  const largest = new Map<string, TokenTransfer>()
  for (const transfer of transfers) {
    const known = largest.get(pairOf(transfer))
    if (known === undefined || known.amountRaw < transfer.amountRaw) largest.set(pairOf(transfer), transfer)
  }
  const asked = [...largest].slice(0, MOST_TRANSFERS_ALONE)
  const ask = (transfer: TokenTransfer) => askAlone(blocks, view, transferCall(contract, transfer))
  const answers = await Promise.all(
    asked.map(async ([pair, transfer]) => {
      const refusal = await ask(transfer)
      if (refusal === undefined || canPay(transfer)) return [pair, refusal] as const
      return [pair, await ask({ ...transfer, amountRaw: 0n })] as const
    }),
  )
  const refused = new Map(answers)
  const untried = transfers.findIndex((transfer) => !refused.has(pairOf(transfer)))
  const tried = untried < 0 ? transfers.length : untried
  const refusals = transfers.slice(0, tried).flatMap((transfer, index) => {
    const refusal = refused.get(pairOf(transfer))
    return refusal === undefined ? [] : [{ index, data: refusal.data }]
  })
  return { tried, refusals }

  function canPay({ token, from, amountRaw }: TokenTransfer): boolean {
    return wallets.some(
      (wallet) =>
        isAddressEqual(wallet.token, token) &&
        isAddressEqual(wallet.account, from) &&
        wallet.balance >= amountRaw &&
        wallet.allowance >= amountRaw,
    )
  }
}

/** How the token refuses a transfer that is tried alone; `undefined` if it does not. Throws where the node does not run it. */
async function askAlone(
  blocks: BlockReader,
  view: BlockView,
  call: SimulationCall,
): Promise<Omit<TransferRefusal, 'index'> | undefined> {
  const answer = await blocks.call(view, call)
  switch (answer.kind) {
    case 'result':
      return saysYes(answer.result) ? undefined : { data: undefined }
    case 'reverted':
      return { data: answer.data }
    default:
      throw answer.error
  }
}

/** The same for transfers of one token between the same two accounts. */
function pairOf({ token, from, to }: TokenTransfer): string {
  return `${token}:${from}:${to}`.toLowerCase()
}

/** The transfer as the contract makes it: of its own money, or of a payer who allowed it. */
export function transferCall(
  contract: Address,
  { token, from, to, amountRaw }: TokenTransfer,
): SimulationCall {
  const data = isAddressEqual(from, contract)
    ? encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args: [to, amountRaw] })
    : encodeFunctionData({ abi: erc20Abi, functionName: 'transferFrom', args: [from, to, amountRaw] })
  return { from: contract, to: token, data }
}
