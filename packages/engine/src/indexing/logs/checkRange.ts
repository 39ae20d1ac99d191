import type { WantedLogs } from '@remit/protocol/logs/wantedLogs'
import { type Address, isAddressEqual } from 'viem'
import type { BlockRef } from '../../ports/history.ts'
import type { NodeHeader, NodeLog, NodeLogs } from '../../ports/nodes.ts'
import { SourceError } from '../../ports/source.ts'

/** The blocks whose logs one question asks for: from the block after `base` to `to`. */
export interface LogRange {
  /** The block before the first one: the answer must name it as the parent. */
  readonly base: BlockRef
  readonly to: number
  /** Whether all headers were asked for, or only the last one. */
  readonly withAllHeaders: boolean
  readonly wanted: WantedLogs
}

/** A node's answer that contradicts neither itself nor the block that it begins on. */
export interface CheckedRange {
  readonly base: BlockRef
  /** Ascending. The last one ends the range; it is below `to` if the node has no more blocks. */
  readonly headers: readonly [NodeHeader, ...NodeHeader[]]
  readonly last: NodeHeader
  readonly logs: readonly NodeLog[]
  readonly finalizedBlock: number
  readonly wanted: WantedLogs
}

/** `lagging`: the node does not have the blocks yet. `forked`: it has another block at the base's height. */
export type RangeAnswer = CheckedRange | 'lagging' | 'forked'

/** The headers to ask for, in the order that `checkRange` expects. */
export function headersOf({ base, to, withAllHeaders }: Omit<LogRange, 'wanted'>): number[] {
  if (!withAllHeaders) return [base.number, to]
  return Array.from({ length: to - base.number + 1 }, (_, index) => base.number + index)
}

/**
 * Checks a node's answer against the block before it, and its logs against its headers.
 * @throws SourceError if the answer contradicts itself
 */
export function checkRange(range: LogRange, contract: Address, answer: NodeLogs): RangeAnswer {
  const { base, to, withAllHeaders, wanted } = range
  const [standsOn, ...above] = answer.headers
  if (standsOn === undefined) return 'lagging'
  if (standsOn.hash !== base.hash) return 'forked'
  const missing = above.indexOf(undefined)
  const headers = above.slice(0, missing === -1 ? above.length : missing).filter((each) => each !== undefined)
  const [first, ...others] = headers
  const last = headers.at(-1)
  if (first === undefined || last === undefined) return 'lagging'
  if (withAllHeaders) assertLinked([base, ...headers])
  else if (last.number === base.number + 1) assertLinked([base, last])
  assertOrdered(answer.logs, [contract, ...wanted.approvalsOf], base.number + 1, to)
  const logs = answer.logs.filter(({ blockNumber }) => blockNumber <= last.number)
  assertPlaced(logs, headers)
  return { base, headers: [first, ...others], last, logs, finalizedBlock: answer.finalizedBlock, wanted }
}

function assertLinked(blocks: readonly BlockRef[]): void {
  for (const [index, block] of blocks.entries()) {
    const parent = blocks[index - 1]
    if (parent === undefined || block.parentHash === parent.hash) continue
    throw new SourceError(`The node's block ${block.number} does not stand on its block ${parent.number}.`)
  }
}

function assertOrdered(
  logs: readonly NodeLog[],
  emitters: readonly Address[],
  from: number,
  to: number,
): void {
  let before: NodeLog | undefined
  for (const log of logs) {
    const { blockNumber, logIndex } = log
    if (!emitters.some((emitter) => isAddressEqual(log.address, emitter))) {
      throw new SourceError(`The node gave a log of another contract, in block ${blockNumber}.`)
    }
    if (blockNumber < from || blockNumber > to) {
      throw new SourceError(`The node gave a log of block ${blockNumber} when asked for ${from} to ${to}.`)
    }
    if (before !== undefined && !isAfter(log, before)) {
      throw new SourceError(`The node gave log ${logIndex} of block ${blockNumber} twice or out of order.`)
    }
    if (before?.blockNumber === blockNumber && before.blockHash !== log.blockHash) {
      throw new SourceError(`The node gave logs of two blocks with the number ${blockNumber}.`)
    }
    before = log
  }
}

function isAfter(log: NodeLog, before: NodeLog): boolean {
  return (
    log.blockNumber > before.blockNumber ||
    (log.blockNumber === before.blockNumber && log.logIndex > before.logIndex)
  )
}

function assertPlaced(logs: readonly NodeLog[], headers: readonly NodeHeader[]): void {
  const hashes = new Map(headers.map(({ number, hash }) => [number, hash]))
  for (const { blockNumber, blockHash } of logs) {
    const hash = hashes.get(blockNumber)
    if (hash !== undefined && hash !== blockHash) {
      throw new SourceError(`The node gave a log of another block ${blockNumber} than is in its chain.`)
    }
  }
}
