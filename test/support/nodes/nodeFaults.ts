import * as z from 'zod'
import type { NodeCall, NodeFault } from './faultyNode.ts'

const Log = z.looseObject({
  address: z.string(),
  topics: z.array(z.string()),
  data: z.string(),
  blockNumber: z.string(),
  blockHash: z.string(),
  logIndex: z.string(),
})
export type RawLog = z.output<typeof Log>

/** A node whose eth_getLogs gives other logs than there are. */
export function lyingLogs(
  lie: (logs: RawLog[], filter: { from: number; to: number }) => unknown[],
): NodeFault {
  return {
    alter: (call, result) => {
      if (call.method !== 'eth_getLogs') return result
      return lie(z.array(Log).parse(result), rangeOf(call))
    },
  }
}

/** A node that refuses eth_getLogs over more than so many blocks. */
export function refusingRanges(
  most: number,
  refusal: (range: { from: number; to: number }) => { code: number; message: string },
): NodeFault {
  return {
    refuse: (call) => {
      if (call.method !== 'eth_getLogs') return undefined
      const range = rangeOf(call)
      return range.to - range.from + 1 > most ? { error: refusal(range) } : undefined
    },
  }
}

/** Lies that no answer of an honest node looks like, each about at least one log. */
export const LIES: Readonly<Record<string, (logs: RawLog[]) => unknown[]>> = {
  'a log twice': (logs) => change(logs, (log) => [log, log]),
  'logs out of order': (logs) => logs.toReversed(),
  'a log of a block that was not asked for': (logs) =>
    change(logs, (log) => [{ ...log, blockNumber: '0x989680' }]),
  'a log of another block hash': (logs) =>
    change(logs, (log) => [{ ...log, blockHash: `0x${'ab'.repeat(32)}` }]),
  'a log that is marked as removed': (logs) => change(logs, (log) => [{ ...log, removed: true }]),
  'a log of a pending block': (logs) =>
    change(logs, (log) => [{ ...log, blockNumber: null, blockHash: null }]),
  'a log of another contract': (logs) => change(logs, (log) => [{ ...log, address: `0x${'cd'.repeat(20)}` }]),
  'a log that cannot be decoded': (logs) => change(logs, (log) => [{ ...log, data: '0x1234' }]),
  'no log in a form that is known': (logs) => change(logs, () => [{ log: 1 }]),
}

export const RANGE_WORDS: readonly {
  readonly provider: string
  /** How many blocks it says, or would say, that it grants. */
  readonly most: number
  readonly refusal: (range: { from: number; to: number }) => { code: number; message: string }
}[] = [
  {
    provider: 'Alchemy',
    most: 7,
    refusal: ({ from }) => ({
      code: -32602,
      message: `Log response size exceeded. You can make eth_getLogs requests with up to a 2K block range and no limit on the response size, or you can request any block range with a cap of 10K logs in the response. Based on your parameters and the response size limit, this block range should work: [${hex(from)}, ${hex(from + 6)}]`,
    }),
  },
  {
    provider: 'Infura',
    most: 9,
    refusal: ({ from }) => ({
      code: -32005,
      message: `query returned more than 10000 results. Try with this block range [${hex(from)}, ${hex(from + 8)}].`,
    }),
  },
  {
    provider: 'QuickNode',
    most: 6,
    refusal: () => ({ code: -32614, message: 'eth_getLogs is limited to a 5 range' }),
  },
  {
    provider: 'Ankr',
    most: 5,
    refusal: () => ({ code: -32600, message: 'block range is too wide' }),
  },
  {
    provider: 'Cloudflare',
    most: 8,
    refusal: () => ({ code: -32047, message: 'Invalid eth_getLogs request. Max range: 8' }),
  },
  {
    provider: 'Coinbase',
    most: 10,
    refusal: () => ({ code: -32602, message: 'please limit the query to at most 10 blocks' }),
  },
  {
    provider: 'publicnode',
    most: 11,
    refusal: () => ({ code: -32701, message: 'exceed maximum block range: 10' }),
  },
  {
    provider: 'Base',
    most: 4,
    refusal: () => ({ code: -32011, message: 'no backend is currently healthy to serve traffic' }),
  },
  {
    provider: 'Optimism',
    most: 4,
    refusal: () => ({ code: -32020, message: 'Block range is too large' }),
  },
  {
    provider: 'geth',
    most: 3,
    refusal: () => ({ code: -32000, message: 'query returned more than 10000 results' }),
  },
  {
    provider: 'dRPC',
    most: 3,
    refusal: () => ({ code: 35, message: 'ranges over 10000 blocks are not supported on freetier' }),
  },
  {
    provider: 'a node that waits for a budget',
    most: 2,
    refusal: () => ({ code: -32005, message: 'query timeout exceeded' }),
  },
  {
    provider: 'a node with an unknown error text',
    most: 1,
    refusal: () => ({ code: -32099, message: 'that was a bit much' }),
  },
]

function change(logs: readonly RawLog[], changed: (log: RawLog) => unknown[]): unknown[] {
  return logs.flatMap((log, index) => (index === logs.length - 1 ? changed(log) : [log]))
}

function rangeOf(call: NodeCall): { from: number; to: number } {
  const Filter = z.object({ fromBlock: z.string(), toBlock: z.string() })
  const { fromBlock, toBlock } = Filter.parse(call.params[0])
  return { from: Number(fromBlock), to: Number(toBlock) }
}

function hex(value: number): string {
  return `0x${value.toString(16)}`
}
