import {
  type Address,
  decodeFunctionResult,
  encodeFunctionData,
  type Hex,
  isAddressEqual,
  numberToHex,
} from 'viem'
import * as z from 'zod'
import { ISubscriptions } from '../../../contracts/generated/ISubscriptions.ts'
import { BlockGoneError } from '../../core/ports/chains.ts'
import type { BlockRef } from '../../core/ports/history.ts'
import {
  type AccountTotal,
  type ChainNode,
  type NodeHeader,
  NodeLagsError,
  RangeRefusedError,
} from '../../core/ports/node.ts'
import { UpstreamError } from '../../errors/chain.ts'
import { HISTORY_TOPICS } from '../../protocol/logs/historyTopics.ts'
import { areEqual, bloomOf, parseBloom } from '../../protocol/logs/logsBloom.ts'
import type { Frequency } from '../../protocol/subscription.ts'
import { callAt } from '../block/nodeCalls.ts'
import { BlockHeader, type HeadWatcher } from '../head/head.ts'
import { EndpointFailedError } from '../rpc/endpoint.ts'
import { isBeyondHead, isRangeRefusal, suggestedTo } from '../rpc/logsRefusal.ts'
import { type OneNode, type Rpc, RpcResponseError, UnknownBlockError } from '../rpc/rpc.ts'
import { headerNumbered, PlacedLog } from './nodeAnswers.ts'
import { readReceipts } from './nodeReceipts.ts'
import { MOST_SCHEDULES, readSchedules } from './nodeSchedules.ts'

/**
 * Makes what an indexer asks a chain's nodes.
 * @param options.finalityDepth after so many blocks on top, a block is final where no node says so itself
 */
export function createChainNode(options: {
  rpc: Rpc
  head: HeadWatcher
  contract: Address
  finalityDepth: number
  rollbackAfterMs: number
}): ChainNode & AccountTotal {
  const { rpc, head: watcher, contract, finalityDepth, rollbackAfterMs } = options
  const { chainId } = rpc
  /** The newest final block that a node named; `null` where nodes name none. */
  let named: number | null | undefined

  /** Lets one node answer; what it refused without a reason that is known here is the node's failure. */
  const ask = async <T>(
    use: (one: OneNode) => Promise<T>,
    signal: AbortSignal,
    node: number | undefined,
  ): Promise<T> => {
    try {
      return await rpc.withNode(use, { node, signal })
    } catch (error) {
      if (error instanceof RpcResponseError) throw new UpstreamError(chainId, { cause: error })
      throw error
    }
  }

  const askState = <T>(use: (one: OneNode) => Promise<T>, at: BlockRef, signal: AbortSignal): Promise<T> =>
    rpc.withNode(use, { signal }).catch((error: unknown) => {
      if (error instanceof UnknownBlockError) {
        throw new BlockGoneError(`no node has the state of block ${at.number}`, { cause: error })
      }
      throw error instanceof RpcResponseError ? new UpstreamError(chainId, { cause: error }) : error
    })

  const finalizedBelow = (headNumber: number) => Math.max(0, named ?? headNumber - finalityDepth)

  return {
    chainId,
    contract,
    count: rpc.count,
    rollbackAfterMs,
    working: () => rpc.working(),

    genesisHash: (signal) =>
      ask(
        async (one) => (await one.request('eth_getBlockByNumber', ['0x0', false], BlockHeader)).hash,
        signal,
        undefined,
      ),

    async head(signal) {
      const { seenAt: _, ...head } = await watcher.current()
      signal.throwIfAborted()
      if (named === undefined) named = await ask(readFinalized, signal, undefined)
      return { head, finalizedBlock: finalizedBelow(head.number) }
    },

    headers: (numbers, signal, node) => ask((one) => readHeaders(one, numbers), signal, node),

    async logs({ from, to, headers: numbers, node }, signal) {
      const read = async (one: OneNode) => {
        const [logs, headers, finalized] = await Promise.all([
          readLogs(one, contract, from, to),
          readHeaders(one, numbers),
          readFinalized(one),
        ])
        return { logs, headers, finalized }
      }
      const answer = await rpc.withNode(read, { node, signal }).catch((error: unknown) => {
        if (error instanceof UnknownBlockError) throw new NodeLagsError(to, { cause: error })
        if (!(error instanceof RpcResponseError || isTooLong(error))) throw error
        // In words that nobody here knows: a smaller range may be what the node wants.
        throw new RangeRefusedError(undefined, { cause: error })
      })
      named = answer.finalized
      const newest = Math.max(to, watcher.seen()?.number ?? 0)
      return { logs: answer.logs, headers: answer.headers, finalizedBlock: finalizedBelow(newest) }
    },

    receiptLogs: (header, signal, node) =>
      ask(
        async (one) => {
          const all = await readReceipts(one, header.hash)
          const logs = all.filter(({ address }) => isAddressEqual(address, contract))
          return { logs, fitBloom: areEqual(bloomOf(all), parseBloom(header.logsBloom)) }
        },
        signal,
        node,
      ),

    async schedules(ids, at, signal) {
      const found: [Hex, { frequency: Frequency; dueDay: number }][] = []
      for (let start = 0; start < ids.length; start += MOST_SCHEDULES) {
        // Each has the time that a request has: of a long past there are many.
        const batch = ids.slice(start, start + MOST_SCHEDULES)
        found.push(...(await askState((one) => readSchedules(one, contract, batch, at), at, signal)))
      }
      return new Map(found)
    },

    totalAccounts: (at, signal) =>
      askState(
        async (one) => {
          const call = { abi: ISubscriptions.abi, functionName: 'getTotalSubscribers' } as const
          const [data = '0x'] = await callAt(one, contract, [encodeFunctionData(call)], at)
          return Number(decodeFunctionResult({ ...call, data }))
        },
        at,
        signal,
      ),

    onHead: (wake) => watcher.onHead(wake),
  }
}

/** `null` where the node does not know the tag, or nothing is final yet. */
async function readFinalized(one: OneNode): Promise<number | null> {
  try {
    const header = await one.request('eth_getBlockByNumber', ['finalized', false], BlockHeader.nullable())
    return header?.number ?? null
  } catch (error) {
    if (error instanceof RpcResponseError) return null
    throw error
  }
}

async function readHeaders(
  one: OneNode,
  numbers: readonly number[],
): Promise<readonly (NodeHeader | undefined)[]> {
  return Promise.all(
    numbers.map(async (number) => {
      try {
        const params = [numberToHex(number), false]
        return (await one.request('eth_getBlockByNumber', params, headerNumbered(number))) ?? undefined
      } catch (error) {
        // Most nodes answer `null`; some refuse.
        if (error instanceof UnknownBlockError) return undefined
        throw error
      }
    }),
  )
}

async function readLogs(one: OneNode, contract: Address, from: number, to: number) {
  const range = { fromBlock: numberToHex(from), toBlock: numberToHex(to) }
  const filter = { address: contract, topics: [HISTORY_TOPICS], ...range }
  try {
    return await one.request('eth_getLogs', [filter], z.array(PlacedLog))
  } catch (error) {
    if (!(error instanceof RpcResponseError)) throw error
    const refusal = { code: error.code, message: error.message }
    // The next node may have it.
    if (error instanceof UnknownBlockError || isBeyondHead(refusal)) throw new UnknownBlockError(refusal)
    if (!isRangeRefusal(refusal)) throw error
    throw new RangeRefusedError(suggestedTo(refusal, from, to), { cause: error })
  }
}

function isTooLong(error: unknown): boolean {
  const cause = error instanceof UpstreamError ? error.cause : undefined
  return cause instanceof EndpointFailedError && cause.kind === 'too long'
}
