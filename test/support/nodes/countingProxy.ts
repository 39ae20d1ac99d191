import { createServer, type ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, afterEach } from 'vitest'
import * as z from 'zod'
import { exchange } from '../service/exchange.ts'

const RpcCall = z.looseObject({
  id: z.unknown(),
  method: z.string(),
  params: z.array(z.unknown()).default([]),
})
type RpcCall = z.output<typeof RpcCall>

/** What a node between us and the real one gets wrong. Everything that is left out goes through untouched. */
export interface Faults {
  /** Ends the connection without an answer. */
  readonly drop?: boolean
  /** Takes the request and never answers. */
  readonly hang?: boolean
  readonly delayMs?: number
  /** Runs before each HTTP request is passed on to the node. */
  readonly before?: (calls: readonly RpcCall[]) => Promise<void>
  /** Answers with this HTTP status and no JSON. */
  readonly status?: number
  /** Answers with this body instead of the node's. */
  readonly body?: string
  /** Alters the node's answers, as the text that they are. */
  readonly alter?: (answers: string) => string
  /** Says that it is on this chain. */
  readonly chainId?: number
  /** What it does with state overrides: an error, or as if they were not there. */
  readonly overrides?: 'refused' | 'ignored'
  /** Runs every eth_call in the block of its state, whatever other time was asked for. */
  readonly blockOverrides?: 'ignored'
  /** Wants block numbers: a block named by its hash is an error. */
  readonly hashPins?: 'refused'
  /** Gives every eth_call so much gas, as a node with a lower cap would. */
  readonly callGas?: number
  /** Runs every eth_call at this block, whichever it was asked for. */
  readonly pin?: string
  /** Answers a call itself; `undefined` leaves it to the node. */
  readonly answer?: (
    call: RpcCall,
  ) => { result: unknown } | { error: { code: number; message: string } } | undefined
}

/** A node that counts what it is asked, and fails as a test wants. */
export interface CountingProxy {
  readonly url: string
  /** HTTP requests since the last reset. */
  readonly requests: number
  /** The methods in them, in order. */
  readonly methods: readonly string[]
  /** The methods of each of them, without the questions for the head, as its watcher asks them. */
  readonly reads: readonly (readonly string[])[]
  reset(): void
  /** Until the next call, or the end of the test. */
  fail(faults: Faults): void
  close(): Promise<void>
}

/** A proxy of this test file's own in front of a node. */
export async function useCountingProxy(nodeUrl: string): Promise<CountingProxy> {
  const proxy = await startCountingProxy(nodeUrl)
  afterEach(() => {
    proxy.fail({})
    proxy.reset()
  })
  afterAll(() => proxy.close())
  return proxy
}

export async function startCountingProxy(nodeUrl: string): Promise<CountingProxy> {
  let faults: Faults = {}
  let requests = 0
  let methods: string[] = []
  let reads: string[][] = []

  const server = createServer(async (request, response) => {
    try {
      const body = await text(request)
      const calls = z.union([z.array(RpcCall), RpcCall]).parse(JSON.parse(body))
      requests += 1
      const asked = [calls].flat().map(({ method }) => method)
      methods.push(...asked)
      if (asked.some((method) => method !== 'eth_getBlockByNumber')) {
        reads.push([calls].flat().flatMap((call) => (isForHead(call) ? [] : call.method)))
      }
      await faults.before?.([calls].flat())
      await answer(faults, nodeUrl, calls, response)
    } catch {
      response.destroy()
    }
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('the proxy has no port')
  return {
    url: `http://127.0.0.1:${address.port}`,
    get requests() {
      return requests
    },
    get methods() {
      return methods
    },
    get reads() {
      return reads
    },
    reset() {
      requests = 0
      methods = []
      reads = []
    },
    fail(next) {
      faults = next
    },
    close() {
      server.closeAllConnections()
      return new Promise((resolve) => server.close(() => resolve()))
    },
  }
}

/** The watcher's question may share an HTTP request with others. */
function isForHead({ method, params }: RpcCall): boolean {
  return method === 'eth_getBlockByNumber' && params[0] === 'latest'
}

async function answer(
  faults: Faults,
  nodeUrl: string,
  calls: RpcCall | RpcCall[],
  response: ServerResponse,
): Promise<void> {
  if (faults.drop) return void response.destroy()
  if (faults.hang) return
  if (faults.delayMs !== undefined) await sleep(faults.delayMs)
  if (faults.status !== undefined) return void response.writeHead(faults.status).end('no')
  const own = [calls].flat().map((call) => ownAnswer(faults, call))
  const body = faults.body ?? JSON.stringify(await withNode(faults, nodeUrl, calls, own))
  const { alter = (text) => text } = faults
  response.writeHead(200, { 'content-type': 'application/json' }).end(alter(body))
}

/** The node is asked once for all that is left to it, as a batch or not just as the caller did. */
async function withNode(
  faults: Faults,
  nodeUrl: string,
  calls: RpcCall | RpcCall[],
  own: unknown[],
): Promise<unknown> {
  const list = [calls].flat()
  const left = list.map((call, index) => (own[index] === undefined ? call : undefined))
  const asked = left.filter((call) => call !== undefined).map((call) => altered(faults, call))
  const fromNode = asked.length === 0 ? [] : z.array(z.unknown()).parse(await ask(nodeUrl, asked))
  const all = left.map((call, index) => (call === undefined ? own[index] : fromNode.shift()))
  return Array.isArray(calls) ? all : all[0]
}

function altered({ callGas, pin, blockOverrides }: Faults, call: RpcCall): RpcCall {
  if (call.method !== 'eth_call') return call
  const [transaction, block, ...overrides] = call.params
  const others = blockOverrides === 'ignored' ? overrides.slice(0, 1) : overrides
  const gas = callGas === undefined ? {} : { gas: `0x${callGas.toString(16)}` }
  return { ...call, params: [{ ...z.looseObject({}).parse(transaction), ...gas }, pin ?? block, ...others] }
}

async function ask(nodeUrl: string, calls: RpcCall[]): Promise<unknown> {
  const headers = { 'content-type': 'application/json' }
  const { text } = await exchange(nodeUrl, { method: 'POST', headers, body: JSON.stringify(calls) })
  return JSON.parse(text)
}

function ownAnswer(faults: Faults, call: RpcCall): object | undefined {
  const answered = (answer: object) => ({ jsonrpc: '2.0', id: call.id, ...answer })
  const own = faults.answer?.(call)
  if (own !== undefined) return answered(own)
  if (call.method === 'eth_chainId' && faults.chainId !== undefined) {
    return answered({ result: `0x${faults.chainId.toString(16)}` })
  }
  if (call.method !== 'eth_call') return undefined
  if (call.params.length > 2 && faults.overrides === 'refused') return answered(invalidParams('overrides'))
  if (call.params.length > 2 && faults.overrides === 'ignored') return answered({ result: '0x' })
  const isHashPin = typeof call.params[1] === 'object'
  return isHashPin && faults.hashPins === 'refused' ? answered(invalidParams('block')) : undefined
}

function invalidParams(what: string) {
  return { error: { code: -32602, message: `invalid ${what}` } }
}
