import { type Address, encodeFunctionData, erc20Abi, getAddress, type Hex, numberToHex } from 'viem'
import type { TransferRefusal } from '../core/remit.ts'
import type { TokenTransfer } from '../protocol/ledger.ts'
import { NodeBytes } from './quantity.ts'
import { type Rpc, RpcResponseError, UnknownBlockError } from './rpc.ts'
import { SimulatedBlock } from './simulate.ts'
import { nextBlock, type PinnedView } from './simulateBlock.ts'
import { callFailure } from './simulateReverts.ts'

/** What an ERC-20 answers to a transfer that it made; some answer nothing at all. */
const YES = `0x${'1'.padStart(64, '0')}`

/** No sane transfer takes more; a bound of its own for each, so that one cannot take from the others. */
const TRANSFER_GAS = 500_000n

/** Where they have to be asked for one by one: as many as go into one HTTP request. */
const MOST_ASKED_ALONE = 39

/**
 * Tries transfers as the contract would make them, in their order and as one state, so that what one account
 * receives another time can be spent; one that is refused moves nothing and stops none of the others.
 *
 * One HTTP request, or a second where the node refuses. Without eth_simulateV1 the first of them are tried, each
 * by itself.
 * @param plan.simulates whether the node is known to have eth_simulateV1
 */
export async function findRefusals(
  rpc: Rpc,
  view: PinnedView,
  plan: { contract: Address; transfers: readonly TokenTransfer[]; simulates: boolean },
): Promise<TransferRefusal[]> {
  const { contract, transfers, simulates } = plan
  const calls = transfers.map((transfer) => ({
    from: contract,
    to: transfer.token,
    data: calldata(contract, transfer),
  }))
  const simulated = simulates ? await inOrder(rpc, view, calls) : undefined
  const answers = simulated ?? (await alone(rpc, view, calls))
  return transfers.flatMap((transfer, index): TransferRefusal[] => {
    const answer = answers[index]
    if (answer === undefined) return []
    if ('reverted' in answer) return [{ transfer, data: answer.reverted }]
    return answer.returned === '0x' || answer.returned === YES ? [] : [{ transfer, data: undefined }]
  })
}

interface TransferCall {
  readonly from: Address
  readonly to: Address
  readonly data: Hex
}

type TransferAnswer = { readonly returned: Hex } | { readonly reverted: Hex }

/** `undefined` where the node will not simulate. */
async function inOrder(
  rpc: Rpc,
  view: PinnedView,
  calls: readonly TransferCall[],
): Promise<TransferAnswer[] | undefined> {
  const gas = numberToHex(TRANSFER_GAS)
  const block = {
    blockOverrides: { ...nextBlock(view), gasLimit: numberToHex(TRANSFER_GAS * BigInt(calls.length)) },
    calls: calls.map((call) => ({ ...call, gas })),
  }
  const request = { blockStateCalls: [block], validation: false, traceTransfers: false }
  const ofThese = SimulatedBlock.refine(([{ calls: answered }]) => answered.length === calls.length)
  try {
    const [simulated] = await rpc.request('eth_simulateV1', [request, view.pin], ofThese, view)
    return simulated.calls.map(({ status, returnData }) =>
      status === 1n ? { returned: returnData } : { reverted: returnData },
    )
  } catch (error) {
    if (!(error instanceof RpcResponseError) || error instanceof UnknownBlockError) throw error
    return undefined
  }
}

function alone(rpc: Rpc, view: PinnedView, calls: readonly TransferCall[]): Promise<TransferAnswer[]> {
  return Promise.all(
    calls.slice(0, MOST_ASKED_ALONE).map(async (call): Promise<TransferAnswer> => {
      try {
        return { returned: await rpc.request('eth_call', [call, view.pin], NodeBytes, view) }
      } catch (error) {
        const failure = callFailure(error)
        if (failure === undefined) throw error
        return { reverted: failure.data }
      }
    }),
  )
}

function calldata(contract: Address, { from, to, amountRaw }: TokenTransfer): Hex {
  return getAddress(from) === getAddress(contract)
    ? encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args: [to, amountRaw] })
    : encodeFunctionData({ abi: erc20Abi, functionName: 'transferFrom', args: [from, to, amountRaw] })
}
