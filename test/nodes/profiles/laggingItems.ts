import { isHex, keccak256, numberToHex } from 'viem'
import * as z from 'zod'
import { type Ask, logRangeOf, type NodeCall, type Rule, type Said } from './rules.ts'

const Block = z.object({ number: z.string() })
const Placed = z.object({ blockNumber: z.string() })

/**
 * A gateway with two nodes behind it, which sends the items of a batch now to the one and now to the other. The
 * second node is one block behind: it does not have the newest block at all.
 */
export function laggingItems(): Rule {
  let asked = 0
  return {
    async answer(call, ask) {
      asked += 1
      return asked % 2 === 0 ? behind(call, ask, await newestNumber(ask)) : ask(call)
    },
  }
}

/** A node that stopped so many blocks before the one that is the newest when it is first asked. */
export function standsStill(blocks: number): Rule {
  let missing: Promise<number> | undefined
  return {
    async answer(call, ask) {
      missing ??= newestNumber(ask).then((newest) => Math.max(1, newest - blocks + 1))
      return behind(call, ask, await missing)
    },
  }
}

/** A node whose newest block is an invention, so many blocks ahead of the chain. All else it answers as others do. */
export function inventsHeads(blocks: number): Rule {
  return {
    async answer(call, ask) {
      const said = await ask(call)
      const isHead = call.method === 'eth_getBlockByNumber' && call.params[0] === 'latest'
      const header = isHead ? z.looseObject({ number: z.string() }).safeParse(resultOf(said)) : undefined
      if (!header?.success) return said
      const number = numberToHex(Number(header.data.number) + blocks)
      const invented = { number, hash: keccak256(number), parentHash: keccak256(keccak256(number)) }
      return { result: { ...header.data, ...invented } }
    },
  }
}

const unknown: Said = { error: { code: -32000, message: 'header not found' } }

async function newestNumber(ask: Ask): Promise<number> {
  return Number(Block.parse(resultOf(await ask(head))).number)
}

/** What a node says that has every block below this number. */
async function behind(call: NodeCall, ask: Ask, missing: number): Promise<Said> {
  const newest = numberToHex(Math.max(0, missing - 1))
  if (call.method === 'eth_blockNumber') return { result: newest }
  const range = logRangeOf(call)
  if (range !== undefined) return behindLogs(call, ask, { ...range, missing })
  if (PLACED.has(call.method)) {
    const said = await ask(call)
    const placed = Placed.safeParse(resultOf(said))
    return placed.success && Number(placed.data.blockNumber) >= missing ? { result: null } : said
  }
  const place = BLOCK_AT[call.method]
  if (place === undefined) return ask(call)
  if ((await numberOf(call.params[place], ask)) >= missing) {
    return NULL_FOR_UNKNOWN.has(call.method) ? { result: null } : unknown
  }
  const params = call.params.map((param, index) => (index === place && param === 'latest' ? newest : param))
  return ask({ ...call, params })
}

/** The number of the block that a parameter names; -1 for a tag, and where there is no such block. */
async function numberOf(named: unknown, ask: Ask): Promise<number> {
  const hash = z.object({ blockHash: z.string() }).safeParse(named).data?.blockHash ?? named
  if (!isHex(hash)) return -1
  if (hash.length <= 10) return Number(hash)
  const said = await ask({ id: 0, method: 'eth_getBlockByHash', params: [hash, false] })
  return Number(Block.safeParse(resultOf(said)).data?.number ?? -1)
}

/** A node answers a range with the part of it that it has, and does not say so. */
async function behindLogs(
  call: NodeCall,
  ask: Ask,
  { from, to, missing }: { from: number; to: number; missing: number },
): Promise<Said> {
  if (to < missing) return ask(call)
  if (from >= missing) return { result: [] }
  const [filter, ...others] = call.params
  const shorter = { ...z.looseObject({}).parse(filter), toBlock: numberToHex(missing - 1) }
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
