import { type Address, isAddressEqual } from 'viem'
import { BlockGoneError } from '../../../core/ports/chains.ts'
import type { BlockPlace, ChainNode, NodeLog } from '../../../core/ports/node.ts'
import { UpstreamError, UpstreamTimeoutError } from '../../../errors/chain.ts'
import { toRaw } from '../../../protocol/amounts.ts'
import { decodeTokenLog } from '../../../protocol/logs/events.ts'
import { dropReason } from '../../../protocol/payments/dropReason.ts'
import { CHARGES, type DropReason } from '../../../protocol/payments/Payment.ts'
import type { PlacedPayment } from '../../projection.ts'

type Undecided = Omit<PlacedPayment, 'dropReason'>

/** A payment with the transaction that it is part of. */
export interface Dropping {
  readonly payment: Undecided
  readonly block: BlockPlace
  /** All logs of its transaction. */
  readonly logs: readonly NodeLog[]
  readonly decimals: number | undefined
}

/**
 * Why remit dropped each of those that it dropped: by the state of the block before, less what the block's indexed
 * transactions moved earlier. `unknown` where no node has that state, as most have not of blocks that are a few minutes old.
 */
export async function readDropReasons(
  node: ChainNode,
  placed: readonly Dropping[],
  signal: AbortSignal,
): Promise<ReadonlyMap<Undecided, DropReason>> {
  const dropped = placed.filter(({ payment }) => payment.kind === 'dropped')
  const reasons = new Map<Undecided, DropReason>(dropped.map(({ payment }) => [payment, 'unknown']))
  const blocks = new Map<number, Dropping[]>()
  for (const drop of dropped) {
    const same = blocks.get(drop.block.number)
    if (same === undefined) blocks.set(drop.block.number, [drop])
    else same.push(drop)
  }
  // The newest block first: if its state is gone, so is that of all before it.
  for (const [, drops] of [...blocks].sort(([a], [b]) => b - a)) {
    const held = await holdingsOf(node, drops, signal)
    if (held === undefined) break
    for (const [index, drop] of drops.entries()) {
      const before = held[index]
      if (before !== undefined) reasons.set(drop.payment, reasonOf(drop, before, placed))
    }
  }
  return reasons
}

async function holdingsOf(node: ChainNode, drops: readonly Dropping[], signal: AbortSignal) {
  const [first] = drops
  if (first === undefined) return undefined
  const wanted = drops.map(({ payment }) => ({ token: payment.token, account: payment.subscriber }))
  try {
    return await node.holdingsBefore(first.block, wanted, signal)
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
  { payment, decimals }: Dropping,
  { balance, allowance }: { readonly balance: bigint; readonly allowance: bigint },
  placed: readonly Dropping[],
): DropReason {
  if (decimals === undefined) return 'unknown'
  const { token, subscriber, blockNumber, logIndex } = payment
  const earlier = placed.filter(({ payment: other }) => other.blockNumber === blockNumber)
  const taken = earlier
    .map(({ payment: other }) => other)
    .filter((other) => other.logIndex < logIndex && CHARGES.includes(other.kind))
    .filter((other) => isSame(other.subscriber, subscriber) && isSame(other.token, token))
    .reduce((sum, { toProvider, toFeeBalance }) => sum + toProvider + toFeeBalance, 0n)
  const receipts = new Set(earlier.map(({ logs }) => logs))
  const logs = [...receipts].flat().filter((log) => log.logIndex < logIndex)
  const had = { balance: balance + moved(logs, token, subscriber), allowance: allowance - taken }
  return dropReason(had, toRaw(payment.period, decimals))
}

/** What transfers changed of an account's balance. */
function moved(logs: readonly NodeLog[], token: Address, account: Address): bigint {
  return logs
    .filter(({ address }) => isSame(address, token))
    .reduce((sum, log) => {
      const event = decodeTokenLog(log)
      if (event?.type !== 'Transfer') return sum
      const came = isSame(event.to, account) ? event.amountRaw : 0n
      const went = isSame(event.from, account) ? event.amountRaw : 0n
      return sum + came - went
    }, 0n)
}

function isSame(one: Address, other: Address): boolean {
  return isAddressEqual(one, other)
}
