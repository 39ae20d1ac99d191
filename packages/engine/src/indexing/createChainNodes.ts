import { ISubscriptions } from '@remit/contracts/ISubscriptions'
import { areEqual, bloomOf, HISTORY_ONLY, parseBloom } from '@remit/protocol/logs/wantedLogs'
import type { Frequency } from '@remit/protocol/subscription'
import { type Address, decodeFunctionResult, encodeFunctionData, type Hex, isAddressEqual } from 'viem'
import { type BlockReader, getResult } from '../block/BlockReader.ts'
import type { AtBlock } from '../block/BlockView.ts'
import { UpstreamError, UpstreamTimeoutError } from '../errors/chain.ts'
import { BlockHeader } from '../head/blockHeader.ts'
import { newestFinal, readNamedFinal } from '../head/finality.ts'
import type { HeadWatcher } from '../head/HeadWatcher.ts'
import { BlockGoneError } from '../ports/chains.ts'
import {
  type AccountTotal,
  type BlockPlace,
  type ChainNodes,
  NodeLagsError,
  RangeRefusedError,
} from '../ports/nodes.ts'
import { EndpointFailedError } from '../rpc/endpoint.ts'
import { lacksPast } from '../rpc/limits/logsRefusal.ts'
import { readHeaders } from '../rpc/readHeaders.ts'
import { refusalIn } from '../rpc/refusal.ts'
import type { OneNode, Rpc } from '../rpc/rpc.ts'
import { BloomHeader, readReceipts, readTransactionLogs, readWantedLogs } from './nodeLogs.ts'
import {
  type Holding,
  MOST_HOLDINGS,
  MOST_SCHEDULES,
  readDecimals,
  readHoldings,
  readSchedules,
} from './nodeState.ts'

/** What a chain's nodes are asked with. The operations' reads use the same objects, so that both know which nodes fail. */
export interface ChainNodeOptions {
  readonly rpc: Rpc
  readonly blocks: BlockReader
  readonly head: HeadWatcher
  readonly contract: Address
  /** A block is final with so many blocks on top of it, if no node names a final block. */
  readonly finalityDepth: number
  /** For how long nodes must insist on one older head before the chain counts as rolled back. */
  readonly rollbackAfterMs: number
}

/** Makes what an indexer asks a chain's nodes (ports/nodes.ts says what each answer is). */
export function createChainNodes(options: ChainNodeOptions): ChainNodes & AccountTotal {
  const { rpc, blocks, head: watcher, contract, finalityDepth, rollbackAfterMs } = options
  const { chainId } = rpc
  /** The newest final block that a node named; `null` if nodes name none, `undefined` until one was asked. */
  let namedFinal: number | null | undefined

  /** Lets one node answer. A refusal becomes UpstreamError: callers of this port know no others. */
  const ask = async <T>(
    use: (one: OneNode, node: number) => Promise<T>,
    signal: AbortSignal,
    node: number | undefined,
  ): Promise<T> => {
    try {
      return await rpc.withNode(use, { node, signal })
    } catch (error) {
      throw refusalIn(error) === undefined ? error : new UpstreamError(chainId, { cause: error })
    }
  }

  /** Reads the state of one block, from whichever node has it. */
  const askState = <T>(
    at: BlockPlace,
    signal: AbortSignal,
    use: (block: AtBlock) => Promise<T>,
  ): Promise<T> =>
    use({ asOf: { blockNumber: at.number, blockHash: at.hash }, signal }).catch((error: unknown) => {
      const refusal = refusalIn(error)
      if (refusal === undefined) throw error
      throw refusal.kind === 'unknownBlock'
        ? new BlockGoneError(`no node has the state of block ${at.number}`, { cause: error })
        : new UpstreamError(chainId, { cause: error })
    })

  /** The newest final block that is not above the head, where one was seen. @param newest a block that is known to exist */
  const finalizedBelow = (newest: number) => {
    const head = Math.max(newest, watcher.seen()?.number ?? Number.POSITIVE_INFINITY)
    return Math.min(head, newestFinal(newest, namedFinal, finalityDepth))
  }

  return {
    chainId,
    contract,
    count: rpc.count,
    rollbackAfterMs,
    working: () => rpc.working(),
    mostBlocks: (node) => rpc.limits(node ?? rpc.working()[0] ?? 0).most('logRange'),

    genesisHash: (signal) =>
      ask(
        async (one) => (await one.request('eth_getBlockByNumber', ['0x0', false], BlockHeader)).hash,
        signal,
        undefined,
      ),

    async head(signal) {
      const { seenAt: _, ...head } = await watcher.currentInBackground()
      signal.throwIfAborted()
      if (namedFinal === undefined)
        namedFinal = await ask(
          (one, node) => readNamedFinal(one, { limits: rpc.limits(node) }),
          signal,
          undefined,
        )
      return { head, finalizedBlock: finalizedBelow(head.number) }
    },

    headers: (numbers, signal, node) => ask((one) => readHeaders(one, numbers, BloomHeader), signal, node),

    async logs({ from, to, headers: numbers, wanted = HISTORY_ONLY, node }, signal) {
      const read = async (one: OneNode, asked: number) => {
        const limits = rpc.limits(asked)
        const [logs, headers, finalized] = await Promise.all([
          readWantedLogs(one, limits, { contract, wanted, from, to }),
          readHeaders(one, numbers, BloomHeader),
          readNamedFinal(one, { limits }),
        ])
        return { logs, headers, finalized }
      }
      const answer = await rpc.withNode(read, { node, signal }).catch((error: unknown) => {
        const refusal = refusalIn(error)
        if (refusal?.kind === 'unknownBlock') throw new NodeLagsError(to, { cause: error })
        if (refusal === undefined && !isTooLong(error)) throw error
        if (refusal !== undefined && lacksPast(refusal.error))
          throw new UpstreamError(chainId, { cause: error })
        // Any other refusal, or too long an answer: the node may give a smaller range.
        throw new RangeRefusedError(undefined, { cause: error })
      })
      namedFinal = answer.finalized
      const newest = Math.max(to, watcher.seen()?.number ?? 0)
      const finalizedBlock = finalizedBelow(newest)
      // Near the head, blooms and receipts show whether one is missing. No log of a final block is ever removed.
      if (answer.logs.some(({ removed, blockNumber }) => removed && blockNumber <= finalizedBlock)) {
        throw new UpstreamError(chainId, { cause: new Error('logs of final blocks are marked as removed') })
      }
      const logs = answer.logs.filter(({ removed }) => removed !== true)
      return { logs, headers: answer.headers, finalizedBlock }
    },

    receiptLogs: (header, signal, node, { approvalsOf } = HISTORY_ONLY) =>
      ask(
        async (one) => {
          const { logs: all, areInBlock } = await readReceipts(one, header)
          const emitters = [contract, ...approvalsOf]
          const logs = all.filter(({ address }) => emitters.some((each) => isAddressEqual(address, each)))
          return { logs, fitBloom: areInBlock && areEqual(bloomOf(all), parseBloom(header.logsBloom)) }
        },
        signal,
        node,
      ),

    async schedules(ids, at, signal) {
      const found: [Hex, { frequency: Frequency; dueDay: number }][] = []
      for (let start = 0; start < ids.length; start += MOST_SCHEDULES) {
        // Each batch has its own time limit, because a long history takes many batches.
        const batch = ids.slice(start, start + MOST_SCHEDULES)
        found.push(...(await askState(at, signal, (block) => readSchedules(blocks, contract, batch, block))))
      }
      return new Map(found)
    },

    transactionLogs: (hashes, signal, node) =>
      inHalves(hashes, (some) => ask((one) => readTransactionLogs(one, some), signal, node)),

    tokenDecimals: (tokens, at, signal) =>
      askState(at, signal, (block) => readDecimals(blocks, contract, tokens, block)),

    async holdingsBefore(at, wanted, signal) {
      const found: Holding[] = []
      for (let start = 0; start < wanted.length; start += MOST_HOLDINGS) {
        const some = wanted.slice(start, start + MOST_HOLDINGS)
        found.push(...(await askState(at, signal, (block) => readHoldings(blocks, contract, some, block))))
      }
      return found
    },

    totalAccounts: (at, signal) =>
      askState(at, signal, async (block) => {
        const call = { abi: ISubscriptions.abi, functionName: 'getTotalSubscribers' } as const
        const data = getResult(await blocks.call(block, { to: contract, data: encodeFunctionData(call) }))
        return Number(decodeFunctionResult({ ...call, data }))
      }),

    onHead: (wake) => watcher.onHead(wake),
  }
}

/** Asks for all at once; where the answer is too large for one request, or too slow, for each half by itself, and so on. */
async function inHalves<Asked, Key, Value>(
  asked: readonly Asked[],
  ask: (some: readonly Asked[]) => Promise<ReadonlyMap<Key, Value>>,
): Promise<ReadonlyMap<Key, Value>> {
  try {
    return await ask(asked)
  } catch (error) {
    const isSmallest = asked.length < 2
    if (isSmallest || !(isTooLong(error) || error instanceof UpstreamTimeoutError)) throw error
    const middle = Math.ceil(asked.length / 2)
    const one = await inHalves(asked.slice(0, middle), ask)
    return new Map([...one, ...(await inHalves(asked.slice(middle), ask))])
  }
}

function isTooLong(error: unknown): boolean {
  const cause = error instanceof UpstreamError ? error.cause : undefined
  return cause instanceof EndpointFailedError && cause.kind === 'too long'
}
