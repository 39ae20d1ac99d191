import { isHex, numberToHex } from 'viem'
import * as z from 'zod'
import { type Ask, logRangeOf, type NodeCall, type Rule, type Said } from './rules.ts'

const Block = z.object({ number: z.string(), hash: z.string() })
const Placed = z.object({ blockNumber: z.string() })

/**
 * A gateway with two nodes behind it, which sends the items of a batch now to the one and now to the other. The
 * second node is one block behind: it does not have the newest block at all.
 */
export function laggingItems(): Rule {
  let asked = 0
  return {
    answer(call, ask) {
      asked += 1
      return asked % 2 === 0 ? behind(call, ask) : ask(call)
    },
  }
}

const missing: Said = { error: { code: -32000, message: 'header not found' } }

/** What a node says that has every block but the newest. */
async function behind(call: NodeCall, ask: Ask): Promise<Said> {
  const { number, hash } = Block.parse(resultOf(await ask(head)))
  const [newest, before] = [Number(number), numberToHex(Math.max(0, Number(number) - 1))]
  const isNewest = (param: unknown) =>
    param === hash ||
    (isHex(param) && param.length <= 10 && Number(param) >= newest) ||
    z.object({ blockHash: z.literal(hash) }).safeParse(param).success
  if (call.method === 'eth_blockNumber') return { result: before }
  const range = logRangeOf(call)
  if (range !== undefined) return behindLogs(call, ask, { ...range, newest })
  if (PLACED.has(call.method)) {
    const said = await ask(call)
    const placed = Placed.safeParse('result' in said ? said.result : undefined)
    return placed.success && Number(placed.data.blockNumber) >= newest ? { result: null } : said
  }
  const place = BLOCK_AT[call.method]
  if (place === undefined) return ask(call)
  const named = call.params[place]
  if (isNewest(named)) return NULL_FOR_UNKNOWN.has(call.method) ? { result: null } : missing
  const params = call.params.map((param, index) => (index === place && param === 'latest' ? before : param))
  return ask({ ...call, params })
}

/** A node answers a range with the part of it that it has, and does not say so. */
async function behindLogs(
  call: NodeCall,
  ask: Ask,
  { from, to, newest }: { from: number; to: number; newest: number },
): Promise<Said> {
  if (to < newest) return ask(call)
  if (from >= newest) return { result: [] }
  const [filter, ...others] = call.params
  const shorter = { ...z.looseObject({}).parse(filter), toBlock: numberToHex(newest - 1) }
  return ask({ ...call, params: [shorter, ...others] })
}

const head: NodeCall = { id: 0, method: 'eth_getBlockByNumber', params: ['latest', false] }

/** Which of the parameters names the block. */
const BLOCK_AT: Readonly<Record<string, number>> = {
  eth_call: 1,
  eth_estimateGas: 1,
  eth_simulateV1: 1,
  eth_getCode: 1,
  eth_getBalance: 1,
  eth_getTransactionCount: 1,
  eth_getStorageAt: 2,
  eth_feeHistory: 1,
  eth_getBlockByNumber: 0,
  eth_getBlockByHash: 0,
  eth_getBlockReceipts: 0,
}
const NULL_FOR_UNKNOWN = new Set(['eth_getBlockByNumber', 'eth_getBlockByHash', 'eth_getBlockReceipts'])
const PLACED = new Set(['eth_getTransactionReceipt', 'eth_getTransactionByHash'])

function resultOf(said: Said): unknown {
  return 'result' in said ? said.result : undefined
}
