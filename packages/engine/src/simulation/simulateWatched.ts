import { ISubscriptions } from '@remit/contracts/ISubscriptions'
import { type Address, decodeFunctionData, erc20Abi, getAddress, isAddress, zeroAddress } from 'viem'
import type { BlockView } from '../block/BlockView.ts'
import type { Facts } from '../block/facts.ts'
import type { PlannedCall } from '../ports/proof.ts'
import type { BatchPlan } from './batchRun.ts'

/** The accounts and tokens whose balances are read before and after a batch whose logs cannot be seen. */
export interface WatchedBalances {
  readonly tokens: readonly Address[]
  readonly accounts: readonly Address[]
}

/** How many balances are read: one eth_call can read so many twice, before and after, well within a node's gas cap. */
const MOST_BALANCES = 500

const abi = [...ISubscriptions.abi, ...erc20Abi] as const

/**
 * The tokens and accounts that a plan can move: those among the addresses in its calls, the sender and the
 * contract.
 *
 * A remit names no address. For it, the tokens, providers and subscribers of the backlog are taken, and the
 * protocol's admin, who receives the system's part of the fees until another receiver is set. No view names that
 * receiver.
 */
export async function watchedBy(
  view: BlockView,
  plan: BatchPlan,
  contractAddress: Address,
  facts: Facts,
): Promise<WatchedBalances> {
  const named = new Set<Address>()
  for (const call of plan.batches.flat()) {
    named.add(getAddress(call.to))
    const { functionName, args } = decoded(call)
    for (const address of addressesIn(args)) named.add(address)
    if (functionName === 'remit') for (const address of await backlogOf(view, plan.from)) named.add(address)
  }
  const tokens = [...named].filter((address) => facts.token(address) !== undefined)
  const accounts = new Set([getAddress(plan.from), getAddress(contractAddress), ...named])
  for (const token of tokens) accounts.delete(token)
  const most = Math.floor(MOST_BALANCES / Math.max(1, tokens.length))
  return { tokens, accounts: [...accounts].slice(0, most) }
}

function decoded({ data }: PlannedCall): { functionName: string | undefined; args: unknown } {
  try {
    return decodeFunctionData({ abi, data })
  } catch {
    return { functionName: undefined, args: [] }
  }
}

function addressesIn(value: unknown): Address[] {
  if (typeof value === 'string') return isAddress(value) ? [getAddress(value)] : []
  if (typeof value !== 'object' || value === null) return []
  return Object.values(value).flatMap(addressesIn)
}

/** Costs no request if the operation has read the backlog at this block, as a remit's has. */
async function backlogOf(view: BlockView, caller: Address): Promise<Address[]> {
  const { admin, lists } = await view.read.backlog(caller)
  const entries = lists.flatMap((list) => list.entries)
  const named = entries.flatMap(({ terms, subscribers }) => [
    getAddress(terms.token),
    getAddress(terms.provider),
    ...subscribers.map(({ subscriber }) => getAddress(subscriber)),
  ])
  return admin === zeroAddress ? named : [getAddress(admin), ...named]
}
