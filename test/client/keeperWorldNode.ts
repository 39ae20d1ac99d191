import { createWalletClient, custom, getAddress, type Hex, numberToHex, parseTransaction } from 'viem'
import { signerOf } from '../support/chain/useTestChain.ts'
import { CONTRACT, type KeeperWorld } from './keeperWorld.ts'

/** The account that the world's keeper signs with. */
export const ACCOUNT = signerOf(9)

/** An error as a node answers it. */
export class NodeAnswer extends Error {
  readonly code = -32_000
}

/** A wallet with the keeper's key, over a node that answers from the world. */
export function walletIn(world: KeeperWorld) {
  const request = async ({ method, params = [] }: { method: string; params?: unknown }): Promise<unknown> => {
    const [first] = Array.isArray(params) ? params : []
    switch (method) {
      case 'eth_chainId':
        return numberToHex(31_337)
      case 'eth_fillTransaction': {
        const dear = numberToHex(10n ** 15n)
        const fees = { gas: numberToHex(16_000_000), maxFeePerGas: dear, maxPriorityFeePerGas: dear }
        return { raw: '0x', tx: { ...first, ...fees, nonce: numberToHex(world.nonce + 5), type: '0x2' } }
      }
      case 'eth_estimateGas':
        world.called('reverts')
        if (getAddress(first.to) === CONTRACT && !world.isDue())
          throw Object.assign(new Error('execution reverted: 6'), { code: 3 })
        return numberToHex(world.gasLimit)
      case 'eth_blockNumber':
        return numberToHex(world.blockNumber)
      case 'eth_getBlockByNumber':
        return { number: numberToHex(world.blockNumber), timestamp: '0x1', transactions: [] }
      case 'eth_getTransactionCount':
        world.called('nonces')
        return numberToHex(world.nonce)
      case 'eth_getTransactionReceipt':
        world.called('receipt')
        return receiptOf(world, first)
      case 'eth_sendRawTransaction':
        world.called('broadcast')
        return world.broadcast(first)
      default:
        throw new NodeAnswer(`the world has no ${method}`)
    }
  }
  return createWalletClient({ account: ACCOUNT, transport: custom({ request }, { retryCount: 0 }) })
}

/** What was signed, out of its bytes. */
export function readSigned(raw: Hex) {
  const {
    nonce = 0,
    gas = 0n,
    to,
    data,
    maxFeePerGas = 0n,
    maxPriorityFeePerGas = 0n,
  } = parseTransaction(raw)
  if (!to || data === undefined) throw new Error('it is no call')
  return {
    chainId: 31_337,
    nonce,
    gas,
    to: getAddress(to),
    data,
    fees: { maxFeePerGas, maxPriorityFeePerGas },
  }
}

function receiptOf(world: KeeperWorld, hash: Hex) {
  const mined = world.receipts.get(hash)
  if (mined === undefined) return null
  const log = { address: mined.to, topics: [], data: numberToHex(mined.earnedRaw, { size: 32 }) }
  return {
    transactionHash: hash,
    blockNumber: numberToHex(mined.blockNumber),
    status: mined.succeeded ? '0x1' : '0x0',
    gasUsed: numberToHex(mined.gasUsed),
    effectiveGasPrice: numberToHex(mined.gasPrice),
    logs: mined.succeeded ? [log] : [],
  }
}
