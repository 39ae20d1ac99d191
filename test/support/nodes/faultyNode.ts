import { createServer, type ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, afterEach } from 'vitest'
import * as z from 'zod'
import { exchange } from '../service/exchange.ts'

const NodeCall = z.looseObject({
  id: z.unknown(),
  method: z.string(),
  params: z.array(z.unknown()).default([]),
})
export type NodeCall = z.output<typeof NodeCall>

const NodeAnswer = z.looseObject({ id: z.unknown(), result: z.unknown().optional() })

/** A node's word for a call: what it says instead of the real node, or of what that one said. */
type Said =
  | { readonly result: unknown }
  | { readonly error: { readonly code: number; readonly message: string } }

/** What a node gets wrong. Everything that is left out goes through untouched. */
export interface NodeFault {
  /** Waits before it answers. */
  readonly delayMs?: number
  /** Answers with this HTTP status and no JSON. */
  readonly status?: number
  /** Ends the connection; never answers; sends the head of an answer and never its end. */
  readonly line?: 'drops' | 'hangs' | 'hangs in the body'
  /** Answers a call without the real node. */
  readonly refuse?: (call: NodeCall) => Said | undefined
  /** Changes what the real node said. */
  readonly alter?: (call: NodeCall, result: unknown) => unknown
  /** Leaves this answer out of every batch. */
  readonly leaveOut?: number
}

/** A node between us and a real one, which fails as a test wants. */
export interface FaultyNode {
  readonly url: string
  /** The methods of each HTTP request since the last reset. */
  readonly requests: readonly (readonly string[])[]
  reset(): void
  /** Until the next call, or the end of the test. */
  fail(fault: NodeFault | undefined): void
}

/** A faulty node of this test file's own. */
export async function useFaultyNode(nodeUrl: string): Promise<FaultyNode> {
  let fault: NodeFault = {}
  let requests: string[][] = []
  const server = createServer(async (request, response) => {
    try {
      const calls = z.union([z.array(NodeCall), NodeCall]).parse(JSON.parse(await text(request)))
      requests.push([calls].flat().map(({ method }) => method))
      await answer(fault, nodeUrl, calls, response)
    } catch {
      response.destroy()
    }
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('the faulty node has no port')
  const node: FaultyNode = {
    url: `http://127.0.0.1:${address.port}`,
    get requests() {
      return requests
    },
    reset() {
      requests = []
    },
    fail(next) {
      fault = next ?? {}
    },
  }
  afterEach(() => {
    node.fail(undefined)
    node.reset()
  })
  afterAll(() => {
    server.closeAllConnections()
    return new Promise<void>((resolve) => server.close(() => resolve()))
  })
  return node
}

async function answer(
  fault: NodeFault,
  nodeUrl: string,
  calls: NodeCall | NodeCall[],
  response: ServerResponse,
): Promise<void> {
  if (fault.delayMs !== undefined) await sleep(fault.delayMs)
  if (fault.line === 'drops') return void response.destroy()
  if (fault.line === 'hangs') return
  if (fault.status !== undefined) return void response.writeHead(fault.status).end('no')
  const list = [calls].flat()
  const own = list.map((call) => fault.refuse?.(call))
  const left = list.filter((_, index) => own[index] === undefined)
  const fromNode = new Map((await ask(nodeUrl, left)).map((said) => [said.id, said]))
  const all = list.map((call, index) => {
    const said = own[index]
    if (said !== undefined) return { jsonrpc: '2.0', id: call.id, ...said }
    const real = fromNode.get(call.id)
    if (real === undefined || !('result' in real) || fault.alter === undefined) return real
    return { ...real, result: fault.alter(call, real.result) }
  })
  const kept = all.filter((_, index) => index !== fault.leaveOut)
  const body = JSON.stringify(Array.isArray(calls) ? kept : all[0])
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) })
  if (fault.line === 'hangs in the body') return void response.write(body.slice(0, body.length / 2))
  response.end(body)
}

async function ask(nodeUrl: string, calls: NodeCall[]) {
  if (calls.length === 0) return []
  const headers = { 'content-type': 'application/json' }
  const reply = await exchange(nodeUrl, { method: 'POST', headers, body: JSON.stringify(calls) })
  return z.array(NodeAnswer).parse(JSON.parse(reply.text))
}
