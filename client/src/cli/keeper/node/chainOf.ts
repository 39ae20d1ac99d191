import { type Address, type Hex, TransactionReceiptNotFoundError } from 'viem'
import { ChainFaultError } from '../ports/faults.ts'
import type { KeeperChain, RemitCall, RemitReceipt } from '../ports/ports.ts'
import { findPending } from './findPending.ts'
import { isRevert } from './isRevert.ts'
import type { OwnNode } from './OwnNode.ts'
import { readBroadcastError } from './readBroadcastError.ts'
import { readFees, readL1DataFee } from './readFees.ts'
import { remitEarnings } from './remitEarnings.ts'
import type { TokenReads } from './TokenReads.ts'
import { tryRemit } from './tryRemit.ts'

/** The chain as a keeper needs it, for one wallet and its one call. */
export function chainOf(
  node: OwnNode,
  { address, call, tokens }: { address: Address; call: RemitCall; tokens: TokenReads },
): KeeperChain {
  const nonce = (blockTag: 'latest' | 'pending') => node.getTransactionCount({ address, blockTag })
  const earningsIn = (logs: Parameters<typeof remitEarnings>[0]) =>
    remitEarnings(logs, { contract: call.to, caller: address, tokens })
  return {
    nonces: () =>
      orFault('the wallet’s nonce', async () => {
        const [latest, pending] = await Promise.all([nonce('latest'), nonce('pending')])
        return { latest, pending }
      }),
    pendingAt: (nonce) => orFault('what is pending', () => findPending(node, address, nonce)),
    balance: () => orFault('the wallet’s balance', () => node.getBalance({ address })),
    fees: () => orFault('the usual fees', () => readFees(node)),
    l1DataFee: (transaction) => orFault('the L1 data fee', () => readL1DataFee(node, transaction)),
    tryRemit: () => orFault('a simulation of the remit', () => tryRemit(node, address, call, earningsIn)),
    reverts: (block) =>
      orFault('a try of the remit', () =>
        // Some nodes have no pending block to try it on.
        revertsOn(block).catch((error: unknown) => {
          if (block === 'latest') throw error
          return revertsOn('latest')
        }),
      ),
    token: (token) => orFault('a token', () => tokens.token(token)),
    broadcast: (signed) =>
      orFault('a transaction', async () => {
        try {
          await node.sendRawTransaction({ serializedTransaction: signed })
          return { kind: 'accepted' }
        } catch (error) {
          const answer = readBroadcastError(error)
          if (answer === undefined) throw error
          return answer
        }
      }),
    receipt: (hash) => orFault('a receipt', () => findReceipt(hash)),
  }

  async function revertsOn(blockTag: 'latest' | 'pending'): Promise<boolean> {
    try {
      await node.call({ account: address, ...call, blockTag })
      return false
    } catch (error) {
      if (isRevert(error)) return true
      throw error
    }
  }

  async function findReceipt(hash: Hex): Promise<RemitReceipt | undefined> {
    try {
      const receipt = await node.getTransactionReceipt({ hash })
      const { gasUsed, effectiveGasPrice, status, blockNumber, logs } = receipt
      return {
        hash,
        blockNumber: Number(blockNumber),
        succeeded: status === 'success',
        paidWei: gasUsed * effectiveGasPrice + l1FeeOf(receipt),
        earned: await earningsIn(logs),
      }
    } catch (error) {
      if (error instanceof TransactionReceiptNotFoundError) return undefined
      throw error
    }
  }
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
