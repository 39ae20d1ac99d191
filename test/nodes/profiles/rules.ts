import { isHex, numberToHex } from 'viem'
import * as z from 'zod'

export const NodeCall = z.looseObject({
  id: z.unknown(),
  method: z.string(),
  params: z.array(z.unknown()).default([]),
})
export type NodeCall = z.output<typeof NodeCall>

export interface RpcError {
  readonly code: number
  readonly message: string
  readonly data?: unknown
}

/** What a node says to one call. */
export type Said = { readonly result: unknown } | { readonly error: RpcError }

/** A whole request that is refused: by its status, and with an error where its body is JSON. */
export interface HttpRefusal {
  readonly status: number
  readonly error?: RpcError
  /** A body that is no JSON-RPC. */
  readonly body?: string
}

/** Asks the node behind, as often as a rule needs. */
export type Ask = (call: NodeCall) => Promise<Said>

/** One thing that a kind of node does otherwise than anvil. What is left out goes through untouched. */
export interface Rule {
  /** Refuses a request as a whole. */
  readonly refuseRequest?: (calls: readonly NodeCall[], bytes: number) => HttpRefusal | undefined
  /** Answers a call in its own way, by asking the node behind or not. */
  readonly answer?: (call: NodeCall, ask: Ask) => Promise<Said>
  /** How answers look on the wire. The first of them is the one that a single request gets. */
  readonly dress?: (answers: readonly Answer[]) => readonly object[]
}

/** An answer with its id. */
export type Answer = Said & { readonly jsonrpc: '2.0'; readonly id: unknown }

const refused = (code: number, message: string): Said => ({ error: { code, message } })

/** Batches of so many items, and no more. */
export function batchesOf(most: number, refusal: (most: number) => HttpRefusal): Rule {
  return { refuseRequest: (calls) => (calls.length > most ? refusal(most) : undefined) }
}

/** Ids come back as texts, results with a null error, batches in any order, with one twice and one of nobody. */
export function looseDress(): Rule {
  return {
    dress(answers) {
      const loose = answers.map((answer) => ({ error: null, ...answer, id: String(answer.id) }))
      const another = { jsonrpc: '2.0', id: 'another', result: '0x0' }
      return [...loose.toReversed(), another, ...loose.slice(0, 1)]
    },
  }
}

/** Bodies of so many bytes, and no more. */
export function bodiesOf(most: number, status: number): Rule {
  return { refuseRequest: (_, bytes) => (bytes > most ? { status } : undefined) }
}

/** Refuses every nth request, in one dialect after the other. */
export function busyEvery(nth: number, dialects: readonly HttpRefusal[]): Rule {
  let asked = 0
  return {
    refuseRequest() {
      asked += 1
      return asked % nth === 0 ? dialects[(asked / nth) % dialects.length] : undefined
    },
  }
}

/** Does not have these methods. */
export function lacks(methods: readonly string[], error: (method: string) => RpcError): Rule {
  return {
    answer: async (call, ask) => (methods.includes(call.method) ? { error: error(call.method) } : ask(call)),
  }
}

/** Takes no state overrides in these methods. */
export function noOverrides(methods: readonly string[], error: RpcError): Rule {
  const place = 2
  return {
    answer: async (call, ask) =>
      methods.includes(call.method) && call.params.length > place ? { error } : ask(call),
  }
}

/** Runs calls as if no state were overridden. */
export function ignoredOverrides(): Rule {
  return {
    answer: (call, ask) =>
      ask(call.method === 'eth_call' ? { ...call, params: call.params.slice(0, 2) } : call),
  }
}

/** Wants a block's number, and never its hash. */
export function numbersOnly(error: RpcError): Rule {
  const ByHash = z.object({ blockHash: z.string() })
  return {
    answer: async (call, ask) =>
      call.method !== 'eth_getLogs' && call.params.some((param) => ByHash.safeParse(param).success)
        ? { error }
        : ask(call),
  }
}

/** Knows no `safe` and no `finalized` block. */
export function noFinality(said: Said): Rule {
  return {
    answer: async (call, ask) =>
      call.params.some((param) => param === 'finalized' || param === 'safe') ? said : ask(call),
  }
}

const LogFilter = z.looseObject({ fromBlock: z.string().optional(), toBlock: z.string().optional() })

/** The first and last block of a range of logs; `undefined` where it is none. */
export function logRangeOf({ method, params }: NodeCall): { from: number; to: number } | undefined {
  const filter = method === 'eth_getLogs' ? LogFilter.safeParse(params[0]).data : undefined
  if (!isHex(filter?.fromBlock) || !isHex(filter.toBlock)) return undefined
  return { from: Number(filter.fromBlock), to: Number(filter.toBlock) }
}

/** Logs of so many blocks at once, and no more. */
export function logsOverBlocks(
  most: number,
  error: (range: { from: number; to: number; most: number }) => RpcError,
): Rule {
  return {
    answer: async (call, ask) => {
      const range = logRangeOf(call)
      return range !== undefined && range.to - range.from + 1 > most
        ? { error: error({ ...range, most }) }
        : ask(call)
    },
  }
}

/** So many logs at once, and no more. `fitting` is the last block of a range that would do. */
export function logsUpTo(
  most: number,
  error: (range: { from: number; to: number; fitting: number }) => RpcError,
): Rule {
  const Logs = z.array(z.looseObject({ blockNumber: z.string() }))
  return {
    answer: async (call, ask) => {
      const said = await ask(call)
      const range = logRangeOf(call)
      if (range === undefined || !('result' in said)) return said
      const logs = Logs.parse(said.result)
      const first = logs[most]
      if (first === undefined) return said
      return { error: error({ ...range, fitting: Math.max(range.from, Number(first.blockNumber) - 1) }) }
    },
  }
}

/** Tells a revert in words of its own. */
export function revertsAs(error: (data: string) => RpcError): Rule {
  return {
    answer: async (call, ask) => {
      const said = await ask(call)
      return 'error' in said && isHex(said.error.data) ? { error: error(said.error.data) } : said
    },
  }
}

const Transaction = z.looseObject({ gas: z.string().optional() })

/** No call gets more gas than this, whatever it asks for, and nobody is told. */
export function callGasUpTo(most: bigint): Rule {
  return {
    async answer(call, ask) {
      if (call.method !== 'eth_call' && call.method !== 'eth_estimateGas') return ask(call)
      const [first, ...others] = call.params
      const transaction = Transaction.parse(first)
      const asked = transaction.gas === undefined ? most : BigInt(transaction.gas)
      const gas = numberToHex(asked < most ? asked : most)
      return ask({ ...call, params: [{ ...transaction, gas }, ...others] })
    },
  }
}

export { refused }
