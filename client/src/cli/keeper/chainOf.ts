import {
  type Address,
  type Chain,
  erc20Abi,
  getAddress,
  type Hex,
  type Log,
  type PublicClient,
  parseEventLogs,
  TransactionReceiptNotFoundError,
  type Transport,
} from 'viem'
import { ChainFaultError } from './faults.ts'
import { isRevert } from './isRevert.ts'
import type { KeeperChain, RemitReceipt } from './ports.ts'
import { readBroadcastError } from './readBroadcastError.ts'
import { isSame } from './weighRemit.ts'

/** The chain as a keeper needs it, for one wallet and the protocol's contract. */
export function chainOf(
  client: PublicClient<Transport, Chain | undefined>,
  { address, contract }: { readonly address: Address; readonly contract: Address },
): KeeperChain {
  const nonce = (blockTag: 'latest' | 'pending') => client.getTransactionCount({ address, blockTag })
  return {
    nonces: () =>
      orFault('the wallet’s nonce', async () => {
        const [latest, pending] = await Promise.all([nonce('latest'), nonce('pending')])
        return { latest, pending }
      }),
    balance: () => orFault('the wallet’s balance', () => client.getBalance({ address })),
    usualFees: () =>
      orFault('the usual fees', async () => {
        const { maxFeePerGas, maxPriorityFeePerGas } = await client.estimateFeesPerGas()
        return { maxFeePerGas, maxPriorityFeePerGas }
      }),
    reverts: (call, block) =>
      orFault('a try of the remit', () =>
        // Some nodes have no pending block to try it on.
        tryOn(call, block).catch((error: unknown) => {
          if (block === 'latest') throw error
          return tryOn(call, 'latest')
        }),
      ),
    broadcast: (signed) =>
      orFault('a transaction', async () => {
        try {
          await client.sendRawTransaction({ serializedTransaction: signed })
          return { kind: 'accepted' }
        } catch (error) {
          const answer = readBroadcastError(error)
          if (answer === undefined) throw error
          return answer
        }
      }),
    receipt: (hash) => orFault('a receipt', () => findReceipt(hash)),
  }

  async function tryOn(call: { to: Address; data: Hex }, blockTag: 'latest' | 'pending'): Promise<boolean> {
    try {
      await client.call({ account: address, ...call, blockTag })
      return false
    } catch (error) {
      if (isRevert(error)) return true
      throw error
    }
  }

  async function findReceipt(hash: Hex): Promise<RemitReceipt | undefined> {
    try {
      const receipt = await client.getTransactionReceipt({ hash })
      const { gasUsed, effectiveGasPrice, status, blockNumber, logs } = receipt
      return {
        hash,
        blockNumber: Number(blockNumber),
        succeeded: status === 'success',
        paidWei: gasUsed * effectiveGasPrice + l1FeeOf(receipt),
        earned: earnedIn(logs, contract, address),
      }
    } catch (error) {
      if (error instanceof TransactionReceiptNotFoundError) return undefined
      throw error
    }
  }
}

/** What tokens log as paid by the protocol to the keeper. */
function earnedIn(logs: Log[], contract: Address, keeper: Address): RemitReceipt['earned'] {
  return parseEventLogs({ abi: erc20Abi, eventName: 'Transfer', logs })
    .filter(({ args }) => isSame(args.from, contract) && isSame(args.to, keeper) && args.value > 0n)
    .map(({ address, args }) => ({ token: getAddress(address), amountRaw: args.value }))
}

/** OP-stack nodes tell it in a field of their own. */
function l1FeeOf(receipt: object): bigint {
  const fee: unknown = Reflect.get(receipt, 'l1Fee')
  if (typeof fee === 'bigint') return fee
  return typeof fee === 'string' && /^0x[0-9a-f]+$/i.test(fee) ? BigInt(fee) : 0n
}

/** A node's message may hold its URL, and with it a key: it travels as the cause only. */
async function orFault<T>(what: string, ask: () => Promise<T>): Promise<T> {
  try {
    return await ask()
  } catch (cause) {
    throw new ChainFaultError(`The RPC failed at ${what}.`, { cause })
  }
}
