import { toRaw } from '@remit/protocol/amounts'
import { decodeTokenLog } from '@remit/protocol/logs/events'
import { CHARGES, type DropReason, dropReason } from '@remit/protocol/payments/Payment'
import { type Address, isAddressEqual } from 'viem'
import { UpstreamError, UpstreamTimeoutError } from '../../errors/chain.ts'
import { BlockGoneError } from '../../ports/chains.ts'
import type { BlockPlace, ChainNodes, NodeLog } from '../../ports/nodes.ts'
import type { PlacedPayment } from '../../ports/source.ts'
import { groupBy } from '../groupBy.ts'

/** A payment before it is known why remit dropped it, if it did. */
type PaymentWithoutReason = Omit<PlacedPayment, 'dropReason'>

/** A payment with the transaction that it is part of. */
export interface PaymentInTransaction {
  readonly payment: PaymentWithoutReason
  readonly block: BlockPlace
  /** All logs of its transaction. */
  readonly logs: readonly NodeLog[]
  readonly decimals: number | undefined
}

/**
 * Why remit dropped each of those that it dropped: by the state of the block before, and what the block's indexed
 * transactions moved before the drop. `unknown` where no node has that state, as most have not of blocks that are a few minutes old.
 */
export async function readDropReasons(
  nodes: ChainNodes,
  placed: readonly PaymentInTransaction[],
  signal: AbortSignal,
): Promise<ReadonlyMap<PaymentWithoutReason, DropReason>> {
  const dropped = placed.filter(({ payment }) => payment.kind === 'dropped')
  const reasons = new Map<PaymentWithoutReason, DropReason>(
    dropped.map(({ payment }) => [payment, 'unknown']),
  )
  const blocks = groupBy(dropped, ({ block }) => block.number)
  // The newest block first: if its state is gone, so is that of all before it.
  for (const [, drops] of [...blocks].sort(([a], [b]) => b - a)) {
    const held = await holdingsOf(nodes, drops, signal)
    if (held === undefined) break
    for (const [index, drop] of drops.entries()) {
      const before = held[index]
      if (before !== undefined) reasons.set(drop.payment, reasonOf(drop, before, placed))
    }
  }
  return reasons
}

async function holdingsOf(nodes: ChainNodes, drops: readonly PaymentInTransaction[], signal: AbortSignal) {
  const [first] = drops
  if (first === undefined) return undefined
  const wanted = drops.map(({ payment }) => ({ token: payment.token, account: payment.subscriber }))
  try {
    return await nodes.holdingsBefore(first.block, wanted, signal)
  } catch (error) {
    signal.throwIfAborted()
    const isMissing =
      error instanceof BlockGoneError ||
      error instanceof UpstreamError ||
      error instanceof UpstreamTimeoutError
    if (isMissing) return undefined
    throw error
  }
}

function reasonOf(
  { payment, decimals }: PaymentInTransaction,
  { balance, allowance }: { readonly balance: bigint; readonly allowance: bigint },
  placed: readonly PaymentInTransaction[],
): DropReason {
  if (decimals === undefined) return 'unknown'
  const { token, subscriber, blockNumber, logIndex } = payment
  const sameBlock = placed.filter(({ payment: other }) => other.blockNumber === blockNumber)
  const taken = sameBlock
    .map(({ payment: other }) => other)
    .filter((other) => other.logIndex < logIndex && CHARGES.includes(other.kind))
    .filter((other) => isAddressEqual(other.subscriber, subscriber) && isAddressEqual(other.token, token))
    .reduce((sum, { toProvider, toFeeBalance }) => sum + toProvider + toFeeBalance, 0n)
  const receipts = new Set(sameBlock.map(({ logs }) => logs))
  const logs = [...receipts].flat().filter((log) => log.logIndex < logIndex)
  const had = { balance: balance + balanceChange(logs, token, subscriber), allowance: allowance - taken }
  return dropReason(had, toRaw(payment.period, decimals))
}

/** What transfers changed of an account's balance. */
function balanceChange(logs: readonly NodeLog[], token: Address, account: Address): bigint {
  return logs
    .filter(({ address }) => isAddressEqual(address, token))
    .reduce((sum, log) => {
      const event = decodeTokenLog(log)
      if (event?.type !== 'Transfer') return sum
      const came = isAddressEqual(event.to, account) ? event.amountRaw : 0n
      const went = isAddressEqual(event.from, account) ? event.amountRaw : 0n
      return sum + came - went
    }, 0n)
}
