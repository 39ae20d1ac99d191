import { once } from 'node:events'
import {
  Agent,
  createServer,
  type IncomingMessage,
  request as requestOf,
  type ServerResponse,
} from 'node:http'
import type { AddressInfo } from 'node:net'
import { pipeline } from 'node:stream/promises'
import { createCors } from '@remit/service/surfaces/http/cors'
import { createHostRule } from '@remit/service/surfaces/http/hosts'
import { WebSocket, WebSocketServer } from 'ws'
import { errorOf, judgeMessage } from './judgeMessage.ts'

/** More than any contract or simulation needs. */
const MOST_BYTES = 16 * 1024 * 1024
const PREFLIGHT_SECONDS = 600
const LISTENS_AT = '127.0.0.1'

// `undefined`: no list of names by an operator. As the address is on loopback, only the names of loopback are allowed then.
const HOSTS = createHostRule(undefined, LISTENS_AT)
const PAGES = createCors(['loopback'])
/** The origins of browser extensions, such as wallets. */
const EXTENSION = /^(chrome|moz|safari-web)-extension:\/\/[\w-]+$/

export interface Door {
  readonly url: string
  readonly port: number
  /** Ends it with all of its connections. */
  close(): Promise<void>
}

/**
 * Opens a proxy in front of the development chain's node, over HTTP and WebSocket: what wallets, pages and programs of this machine use
 * as the chain's RPC URL. A browser lets any page on the internet send requests to this machine, so three things are checked before a
 * request is passed on: the name by which it calls this machine (Host), the page that it comes from (Origin), and its JSON-RPC method
 * (`judgeMessage`).
 * @param node the URL of the chain's node
 * @param port 0 lets the system pick a free one. Rejects with EADDRINUSE where it is taken
 */
export async function openDoor(node: string, port: number): Promise<Door> {
  const agent = new Agent({ keepAlive: true })
  const server = createServer((request, response) => {
    answer(request, response, { node, agent }).catch(() => response.destroy())
  })
  const sockets = new WebSocketServer({ noServer: true, maxPayload: MOST_BYTES })
  server.on('upgrade', (request, socket, head) => {
    socket.on('error', () => socket.destroy())
    if (strangerOf(request) !== undefined) {
      socket.end('HTTP/1.1 403 Forbidden\r\nConnection: close\r\nContent-Length: 0\r\n\r\n')
      return
    }
    sockets.handleUpgrade(request, socket, head, (outer) => joinSockets(outer, node))
  })
  server.listen(port, LISTENS_AT)
  await once(server, 'listening')
  // Safe: it listens on TCP.
  const taken = (server.address() as AddressInfo).port
  return {
    url: `http://${LISTENS_AT}:${taken}`,
    port: taken,
    async close() {
      for (const outer of sockets.clients) outer.terminate()
      const closed = new Promise((resolve) => server.close(resolve))
      server.closeAllConnections()
      agent.destroy()
      await closed
    },
  }
}

/** Why a request comes from elsewhere than this machine's programs, wallets or pages; `undefined` if it comes from one of them. */
function strangerOf({ headers: { host, origin } }: IncomingMessage): string | undefined {
  // DNS rebinding: a stranger first serves its page under its own name, then points that name at 127.0.0.1. The browser takes the page and
  // this machine for one origin, so Origin shows nothing. The Host still has the stranger's name.
  if (host === undefined || !HOSTS.allows(host)) return 'This host name is not this machine’s.'
  const isOwn = origin === undefined || PAGES.allows(origin) || EXTENSION.test(origin)
  return isOwn
    ? undefined
    : 'Only pages of this machine and browser extensions may call the development chain.'
}

interface Node {
  /** Its URL. */
  readonly node: string
  readonly agent: Agent
}

/** Answers one HTTP request: a refusal of its own, or what the node answers, with the node's status. */
async function answer(request: IncomingMessage, response: ServerResponse, to: Node): Promise<void> {
  const stranger = strangerOf(request)
  if (stranger !== undefined) return say(response, 403, errorOf(null, -32_000, stranger))
  allowPage(request, response)
  if (request.method === 'OPTIONS') return say(response, 204)
  if (request.method !== 'POST') {
    response.setHeader('Allow', 'POST, OPTIONS')
    return say(response, 405, errorOf(null, -32_000, 'JSON-RPC is asked by POST.'))
  }
  if (Number(request.headers['content-length']) > MOST_BYTES) {
    response.setHeader('Connection', 'close')
    return say(response, 413, errorOf(null, -32_000, `A message has at most ${MOST_BYTES} bytes.`))
  }
  const judged = judgeMessage(await textOf(request))
  if ('answer' in judged) return say(response, 200, judged.answer)
  const upstream = requestOf(to.node, {
    method: 'POST',
    agent: to.agent,
    headers: { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(judged.forward) },
  })
  response.once('close', () => upstream.destroy())
  // `pipeline` reports an error that comes with the response or after it.
  upstream.on('error', () => {})
  upstream.end(judged.forward)
  try {
    // `told` is the node's response.
    const [told]: IncomingMessage[] = await once(upstream, 'response')
    if (told === undefined) throw new Error('a response event without a response')
    const { 'content-length': length } = told.headers
    const headers = { 'Content-Type': 'application/json', ...(length && { 'Content-Length': length }) }
    response.writeHead(told.statusCode ?? 502, headers)
    await pipeline(told, response)
  } catch (error) {
    if (response.headersSent) throw error
    say(response, 502, errorOf(null, -32_000, 'The development chain does not answer.'))
  }
}

/** Lets the page read the answer. `strangerOf` has let its origin in. */
function allowPage({ headers }: IncomingMessage, response: ServerResponse): void {
  const { origin } = headers
  response.setHeader('Vary', 'Origin')
  if (origin === undefined) return
  response.setHeader('Access-Control-Allow-Origin', origin)
  response.setHeader('Access-Control-Allow-Methods', 'POST')
  response.setHeader('Access-Control-Max-Age', PREFLIGHT_SECONDS)
  const asked = headers['access-control-request-headers']
  if (asked !== undefined) response.setHeader('Access-Control-Allow-Headers', asked)
  if (headers['access-control-request-private-network'] === 'true') {
    response.setHeader('Access-Control-Allow-Private-Network', 'true')
  }
}

function say(response: ServerResponse, status: number, body?: string): void {
  if (body !== undefined) response.setHeader('Content-Type', 'application/json')
  response.writeHead(status).end(body)
}

/** Throws for a body that is longer than allowed without having declared it: its connection is then cut. */
async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of request) {
    length += chunk.length
    if (length > MOST_BYTES) throw new RangeError('the body is too long')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString()
}

/** Connects a caller's socket (`outer`) with a new one to the node (`inner`), until one of them closes. Messages to the node are judged first. */
function joinSockets(outer: WebSocket, node: string): void {
  const inner = new WebSocket(node.replace(/^http/, 'ws'), { perMessageDeflate: false })
  // What the caller sends before the node is connected waits.
  outer.pause()
  inner.once('open', () => outer.resume())
  outer.on('message', (data) => {
    const judged = judgeMessage(String(data))
    if ('answer' in judged) outer.send(judged.answer)
    else inner.send(judged.forward)
  })
  inner.on('message', (data) => outer.send(String(data)))
  for (const [one, other] of [
    [outer, inner],
    [inner, outer],
  ] as const) {
    one.on('error', () => other.terminate())
    one.on('close', () => other.close())
  }
}
