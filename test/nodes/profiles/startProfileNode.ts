import { createServer } from 'node:http'
import { text } from 'node:stream/consumers'
import * as z from 'zod'
import type { Profile } from './profiles.ts'
import { type Answer, type Ask, type HttpRefusal, NodeCall, type Rule, type Said } from './rules.ts'

const Request = z.union([z.array(NodeCall), NodeCall])
const NodeAnswer = z.union([
  z.object({ error: z.looseObject({ code: z.number(), message: z.string() }) }),
  z.object({ result: z.unknown() }),
])

/** A node of a kind: another node seen through the kind's rules. */
export interface ProfileNode {
  /** Its URL, and behind a comma that of a node that lacks nothing, where the kind has one beside it. */
  readonly url: string
  /** HTTP requests since the last reset, refused ones too, but for those that only follow the head. */
  readonly requests: number
  reset(): void
  close(): Promise<void>
}

/** Puts the rules of a profile before a node. */
export async function startProfileNode(nodeUrl: string, profile: Profile): Promise<ProfileNode> {
  let requests = 0
  const count = (calls: readonly NodeCall[]) => {
    if (calls.some(({ method }) => method !== 'eth_getBlockByNumber')) requests += 1
  }
  const rules = profile.lines.map(({ makeRule }) => makeRule())
  const nodes = [await startNode(nodeUrl, rules, count)]
  if (profile.hasOtherBeside) nodes.push(await startNode(nodeUrl, [], count))
  return {
    url: nodes.map(({ url }) => url).join(),
    get requests() {
      return requests
    },
    reset() {
      requests = 0
    },
    async close() {
      await Promise.all(nodes.map((node) => node.close()))
    },
  }
}

async function startNode(
  nodeUrl: string,
  rules: readonly Rule[],
  count: (calls: readonly NodeCall[]) => void,
) {
  const ask = rules.reduceRight<Ask>(
    (behind, rule) => behindRule(rule, behind),
    (call) => askNode(nodeUrl, call),
  )
  const server = createServer(async (request, response) => {
    try {
      const body = await text(request)
      const asked = Request.parse(JSON.parse(body))
      const calls = [asked].flat()
      count(calls)
      const refusal = firstRefusal(rules, calls, Buffer.byteLength(body))
      if (refusal !== undefined) {
        const { status, error, body: own = '' } = refusal
        const said = error === undefined ? own : JSON.stringify({ jsonrpc: '2.0', id: null, error })
        return void response.writeHead(status, { 'content-type': 'application/json' }).end(said)
      }
      const answers = await Promise.all(
        calls.map(async (call): Promise<Answer> => ({ jsonrpc: '2.0', id: call.id, ...(await ask(call)) })),
      )
      const dressed = rules.reduce<readonly object[]>(
        (all, { dress }) => (dress === undefined ? all : dress(answers)),
        answers,
      )
      response.writeHead(200, { 'content-type': 'application/json' })
      response.end(JSON.stringify(Array.isArray(asked) ? dressed : dressed[0]))
    } catch {
      response.destroy()
    }
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('the node has no port')
  return {
    url: `http://127.0.0.1:${address.port}`,
    close() {
      server.closeAllConnections()
      return new Promise<void>((resolve) => server.close(() => resolve()))
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
  return NodeAnswer.parse(await (await fetch(url, { method: 'POST', headers, body })).json())
}
