import { ISubscriptions } from '@remit/contracts/ISubscriptions'
import { type Frequency, parseFrequency } from '@remit/protocol/subscription'
import { type Address, decodeFunctionResult, encodeFunctionData, erc20Abi, type Hex } from 'viem'
import { type BlockAnswer, type BlockReader, getResult } from '../block/BlockReader.ts'
import type { AtBlock } from '../block/BlockView.ts'
import { uint8 } from '../rpc/quantity.ts'
import { UnknownBlockError } from '../rpc/refusal.ts'

// What one node is asked about state at a block, for an indexer: balances and allowances before a drop, the decimals that the
// contract has of tokens, and the terms that a creation does not log.

const { abi } = ISubscriptions

/** How many holdings are read at once: two calls each, so that they share one HTTP request (of MOST_REQUESTS, rpc/BatchSender.ts). */
export const MOST_HOLDINGS = 19

/** Raw units of a token. */
export interface Holding {
  readonly balance: bigint
  readonly allowance: bigint
}

/**
 * What accounts held, and let the contract take, before a block.
 *
 * Throws UnknownBlockError where nodes do not have that state.
 * @param wanted MOST_HOLDINGS at the most
 */
export async function readHoldings(
  blocks: BlockReader,
  contract: Address,
  wanted: readonly { readonly token: Address; readonly account: Address }[],
  at: AtBlock,
): Promise<Holding[]> {
  const ask = async (token: Address, data: Hex) =>
    toUint(await blocks.call(at, { to: token, data }, { onParent: true }))
  return Promise.all(
    wanted.map(async ({ token, account }) => {
      const [balance, allowance] = await Promise.all([
        ask(token, encodeFunctionData({ abi: erc20Abi, functionName: 'balanceOf', args: [account] })),
        ask(
          token,
          encodeFunctionData({ abi: erc20Abi, functionName: 'allowance', args: [account, contract] }),
        ),
      ])
      return { balance, allowance }
    }),
  )
}

/** The decimals in the contract's entries. Throws UnknownBlockError where nodes do not have the block's state. */
export async function readDecimals(
  blocks: BlockReader,
  contract: Address,
  tokens: readonly Address[],
  at: AtBlock,
): Promise<ReadonlyMap<Address, number>> {
  const found = new Map<Address, number>()
  await Promise.all(
    tokens.map(async (token) => {
      const call = { abi, functionName: 'approvedERC20' } as const
      const data = getResult(
        await blocks.call(at, { to: contract, data: encodeFunctionData({ ...call, args: [token] }) }),
      )
      const [tokenAddress, decimals] = orUnknown(() => {
        const [address, stored] = decodeFunctionResult({ ...call, data })
        return [address, uint8(stored)] as const
      })
      // A token that is not approved reads as zeros.
      if (tokenAddress.toLowerCase() === token.toLowerCase()) found.set(token, decimals)
    }),
  )
  return found
}

function toUint(answer: BlockAnswer<Hex>): bigint {
  const data = getResult(answer)
  return orUnknown(() => decodeFunctionResult({ abi: erc20Abi, functionName: 'balanceOf', data }))
}

/**
 * Decodes an answer. One that does not decode is mostly empty: during a reorganisation a node may have a state without the
 * contract. So it counts as a block that the node does not have.
 */
function orUnknown<T>(decode: () => T): T {
  try {
    return decode()
  } catch {
    throw new UnknownBlockError({ code: -32001, message: 'the contract does not answer at that block' })
  }
}

/** How many schedules are read at once, so that they and a header share one HTTP request. */
export const MOST_SCHEDULES = 38

type Schedules = Map<Hex, { frequency: Frequency; dueDay: number }>

/**
 * Frequency and due day, which the log of a creation does not hold, read at a block. Ids that do not exist there are
 * left out.
 *
 * Throws UnknownBlockError where nodes do not have the block's state, RpcResponseError where they refuse.
 * @param ids MOST_SCHEDULES at the most
 */
export async function readSchedules(
  blocks: BlockReader,
  contract: Address,
  ids: readonly Hex[],
  at: AtBlock,
): Promise<Schedules> {
  const answers = await Promise.all(
    ids.map((id) =>
      blocks.call(at, {
        to: contract,
        data: encodeFunctionData({ abi, functionName: 'idSubMap', args: [id] }),
      }),
    ),
  )
  const found: Schedules = new Map()
  for (const [index, answer] of answers.entries()) {
    const data = getResult(answer)
    const { id, ...schedule } = decodeSchedule(data)
    // A subscription that does not exist reads as zeros.
    if (id === ids[index]) found.set(id, schedule)
  }
  return found
}

function decodeSchedule(data: Hex): { id: Hex; frequency: Frequency; dueDay: number } {
  return orUnknown(() => {
    const [id, , , , , frequency, dueDay] = decodeFunctionResult({ abi, functionName: 'idSubMap', data })
    return { id, frequency: parseFrequency(frequency), dueDay }
  })
}
