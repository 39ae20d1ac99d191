import { decodeTokenLog } from '@remit/protocol/logs/events'
import type { CreditTrial } from '@remit/protocol/payments/Payment'
import type { TokenTransfer } from '@remit/protocol/remit/remitState'
import { type Address, decodeFunctionResult, encodeFunctionData, erc20Abi, isAddressEqual } from 'viem'
import type { BlockReader } from '../block/BlockReader.ts'
import type { BlockView } from '../block/BlockView.ts'
import type { SimulatedCall } from '../block/simulateV1.ts'
import { type OrderedCall, simulateInOrder } from '../simulation/simulateInOrder.ts'
import { TRANSFER_GAS } from '../simulation/simulationBudget.ts'
import { refusalIn, transferCall } from './remitTransfers.ts'

/** Both balances, the transfer, and both balances again. */
const CALLS_EACH = 5

/**
 * Makes each transfer as the contract would, and tells what the token logs and what its balances show.
 *
 * All is one simulation, so nothing else moves the balances: no other transaction, and no rebase. Takes one HTTP request,
 * and some more where the node grants less gas than that.
 */
export async function tryCredits(
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

/** `undefined` if the transfer is refused, or something of it cannot be read. */
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

function difference(less: SimulatedCall | undefined, more: SimulatedCall | undefined): bigint | undefined {
  const [subtracted, balance] = [balanceIn(less), balanceIn(more)]
  return subtracted === undefined || balance === undefined ? undefined : balance - subtracted
}

function balanceIn(call: SimulatedCall | undefined): bigint | undefined {
  if (call?.status !== 1n || call.returnData.length !== 66) return undefined
  return decodeFunctionResult({ abi: erc20Abi, functionName: 'balanceOf', data: call.returnData })
}
