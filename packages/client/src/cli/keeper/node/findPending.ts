import { type Address, type Hash, isHash } from 'viem'
import { isSameHex } from '../../../request/isSameHex.ts'
import type { PendingTransaction } from '../ports/ports.ts'
import type { OwnNode } from './OwnNode.ts'

/**
 * A wallet's transaction that waits to be mined, by its nonce: out of the node's pool (`txpool_contentFrom`) or out of
 * its pending block. Many nodes have neither: then it is `undefined`.
 */
export async function findPending(
  node: OwnNode,
  address: Address,
  nonce: number,
): Promise<PendingTransaction | undefined> {
  const hash = (await hashInPool(node, address, nonce)) ?? (await hashInBlock(node, address, nonce))
  if (hash === undefined) return undefined
  const found = await node.getTransaction({ hash }).catch(() => undefined)
  if (found === undefined || found.nonce !== nonce || !isSameHex(found.from, address)) return undefined
  const { to, input, value, gas, gasPrice, maxFeePerGas = gasPrice, maxPriorityFeePerGas = gasPrice } = found
  if (maxFeePerGas === undefined || maxPriorityFeePerGas === undefined) return undefined
  return { hash, to, data: input, value, gas, fees: { maxFeePerGas, maxPriorityFeePerGas } }
}

async function hashInPool(node: OwnNode, address: Address, nonce: number): Promise<Hash | undefined> {
  try {
    const content = await node.request<{ Method: string; Parameters: [Address]; ReturnType: unknown }>({
      method: 'txpool_contentFrom',
      params: [address],
    })
    const hash = inside(inside(inside(content, 'pending'), String(nonce)), 'hash')
    return typeof hash === 'string' && isHash(hash) ? hash : undefined
  } catch {
    return undefined
  }
}

async function hashInBlock(node: OwnNode, address: Address, nonce: number): Promise<Hash | undefined> {
  try {
    const { transactions } = await node.getBlock({ blockTag: 'pending', includeTransactions: true })
    return transactions.find((each) => each.nonce === nonce && isSameHex(each.from, address))?.hash
  } catch {
    return undefined
  }
}

function inside(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined
}
