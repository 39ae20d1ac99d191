/**
 * What `send`, `follow` and `sign` share: the room of a flow in the budget, asked for before anything goes out; and, once its transactions
 * are mined, noting their blocks, saying why one reverted, and reading the result.
 */

import type { Address, Hash } from 'viem'
import type { RevertReason } from '../../errors/RemitError.ts'
import type { Api } from '../../generated/api.ts'
import type { ChainReads } from '../ChainReads.ts'
import type { Room } from '../check/Budget.ts'
import type { Sender, Signing } from '../check/prepareHere.ts'
import { TransactionRevertedError } from '../errors.ts'
import { decodeEvents, type MinedCalls, type ProtocolEvent } from '../wait/decodeEvents.ts'
import type { Conclusion } from './FlowDefinition.ts'
import type { SentSoFar } from './Sending.ts'

/** A transaction that was mined without a revert. */
export type MinedTransaction = Pick<MinedCalls, 'hash' | 'functions' | 'blockNumber' | 'gasUsed'>

/** The part of a result that all flows share. */
export interface Outcome {
  readonly status: 'success'
  readonly chainId: number
  /** Empty where the wallet gave no hashes, and only the changed allowance shows that its calls were done. */
  readonly transactions: readonly MinedTransaction[]
  /** The wallet's id for the calls, where it took them by `wallet_sendCalls`. */
  readonly callsId: string | null
  /** The contract's logs, decoded, in order. */
  readonly events: readonly ProtocolEvent[]
}

/** Notes what was mined. Throws TransactionRevertedError for the first that reverted. */
export async function assertSuccess(
  { ownWrites }: Pick<Sender, 'ownWrites'>,
  { here, chainId }: Pick<Signing, 'here' | 'chainId'>,
  mined: readonly MinedCalls[],
): Promise<void> {
  for (const { blockNumber } of mined) ownWrites.note(chainId, blockNumber)
  for (const one of mined) {
    const { status, functions, hash } = one
    if (status === 'success') continue
    const reason = await revertReason(here, { ...one, chainId })
    throw new TransactionRevertedError(functions.join(' and '), hash, reason)
  }
}

/** Reads the result out of what was mined. */
export async function concludeFlow<Result>(
  { decimals, conclude }: Conclusion<Result>,
  { chainId, contract, reads }: Pick<Signing, 'chainId' | 'contract'> & { readonly reads: ChainReads },
  mined: readonly MinedCalls[],
  sentSoFar: SentSoFar,
): Promise<Outcome & Result> {
  const known = new Map<Address, number | null>(decimals)
  const events = await decodeEvents(contract, mined, async (token) => {
    const decimals = known.get(token) ?? (await reads.decimals(token).catch(() => null))
    known.set(token, decimals)
    return decimals
  })
  const result = await conclude({ transactions: mined, events })
  const transactions = mined.map(({ hash, functions, blockNumber, gasUsed }) => ({
    hash,
    functions,
    blockNumber,
    gasUsed,
  }))
  return { status: 'success', chainId, transactions, callsId: sentSoFar.callsId, events, ...result }
}

/**
 * A handle on the budget for this flow; nothing is taken before its `take()`. `undefined` where there is no budget, or where the flow
 * commits the wallet to no payments.
 */
export function roomFor<Result>(
  { budget, ownWrites }: Pick<Sender, 'budget' | 'ownWrites'>,
  {
    wallet,
    chainId,
    options,
    from,
    reads,
  }: Pick<Signing, 'wallet' | 'chainId' | 'options'> & { readonly from: Address; readonly reads: ChainReads },
  { commits }: Conclusion<Result>,
): Room | undefined {
  if (commits === undefined) return undefined
  return budget?.roomFor(commits, {
    chainId,
    account: from,
    reads,
    lastBlock: () => ownWrites.minBlock(chainId),
    pollingIntervalMs: options.pollingIntervalMs ?? wallet.pollingInterval,
    signal: options.signal,
  })
}

/** How long to ask for the reason of a revert: it only explains a failure that is certain, so a short wait suffices. */
const WITHIN_MS = 5_000

/**
 * Why a mined transaction reverted, as the wallet's node tells it. `null` where it cannot tell or does not answer.
 *
 * It is asked once, for the transaction's own block or a later one: where the node has not seen the block yet, the call
 * waits for it by itself.
 */
export async function revertReason(
  api: Api,
  {
    chainId,
    hash,
    blockNumber,
  }: { readonly chainId: number; readonly hash: Hash; readonly blockNumber: number },
): Promise<RevertReason | null> {
  try {
    const input = { txHash: hash, chainId, minBlock: blockNumber }
    const { status, reason } = await api.getTransactionStatus(input, { withinMs: WITHIN_MS, retries: 2 })
    if (status !== 'reverted' || reason === null) return null
    const { protocolCode, name, message, data } = reason
    return { protocolCode, name, message, data }
  } catch {
    return null
  }
}
