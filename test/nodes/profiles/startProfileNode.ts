import { createServer } from 'node:http'
import { text } from 'node:stream/consumers'
import * as z from 'zod'
import type { Profile } from './profiles.ts'
import { type Ask, type HttpRefusal, NodeCall, type Rule, type Said } from './rules.ts'

const Request = z.union([z.array(NodeCall), NodeCall])
const Answer = z.union([
  z.object({ error: z.looseObject({ code: z.number(), message: z.string() }) }),
  z.object({ result: z.unknown() }),
])

/** A node of a kind, at a URL of its own: another node seen through the kind's rules. */
export interface ProfileNode {
  readonly url: string
  /** HTTP requests since the last reset, refused ones too, but for those that only follow the head. */
  readonly requests: number
  reset(): void
  close(): Promise<void>
}

/** Puts the rules of a profile before a node. */
export async function startProfileNode(nodeUrl: string, profile: Profile): Promise<ProfileNode> {
  let requests = 0
  const rules = profile.lines.map(({ makeRule }) => makeRule())
  const ask = rules.reduceRight<Ask>(
    (behind, rule) => behindRule(rule, behind),
    (call) => askNode(nodeUrl, call),
  )

  const server = createServer(async (request, response) => {
    try {
      const body = await text(request)
      const asked = Request.parse(JSON.parse(body))
      const calls = [asked].flat()
      if (calls.some(({ method }) => method !== 'eth_getBlockByNumber')) requests += 1
      const refusal = firstRefusal(rules, calls, Buffer.byteLength(body))
      if (refusal !== undefined) {
        const { status, error } = refusal
        const said = error === undefined ? '' : JSON.stringify({ jsonrpc: '2.0', id: null, error })
        return void response.writeHead(status, { 'content-type': 'application/json' }).end(said)
      }
      const answers = await Promise.all(
        calls.map(async (call) => ({ jsonrpc: '2.0', id: call.id, ...(await ask(call)) })),
      )
      response.writeHead(200, { 'content-type': 'application/json' })
      response.end(JSON.stringify(Array.isArray(asked) ? answers : answers[0]))
    } catch {
      response.destroy()
    }
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('the node has no port')
  return {
    url: `http://127.0.0.1:${address.port}`,
    get requests() {
      return requests
    },
    reset() {
      requests = 0
    },
    close() {
      server.closeAllConnections()
      return new Promise((resolve) => server.close(() => resolve()))
    },
  }
}

function behindRule({ answer }: Rule, behind: Ask): Ask {
  return answer === undefined ? behind : (call) => answer(call, behind)
}

function firstRefusal(
  rules: readonly Rule[],
  calls: readonly NodeCall[],
  bytes: number,
): HttpRefusal | undefined {
  for (const { refuseRequest } of rules) {
    const refusal = refuseRequest?.(calls, bytes)
    if (refusal !== undefined) return refusal
  }
  return undefined
}

async function askNode(url: string, { method, params }: NodeCall): Promise<Said> {
  const headers = { 'content-type': 'application/json' }
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
  return Answer.parse(await (await fetch(url, { method: 'POST', headers, body })).json())
}
