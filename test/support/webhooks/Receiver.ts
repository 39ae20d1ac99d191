import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import * as z from 'zod'

/** What an endpoint does with a request. */
export type Manner =
  | 'accept'
  | 'fail'
  | 'hang'
  | 'slow'
  | 'close'
  | 'cut'
  | 'gone'
  | 'redirect'
  | { readonly status: number; readonly headers?: Record<string, string>; readonly body?: string }

/** One request as it came. */
export interface Received {
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  readonly id: string
  readonly type: string
  /** `undefined` for what is no event of a log. */
  readonly sequence: number | undefined
  readonly subscription: string | null
  /** What it is about: a subscription, or else a token or a provider. What is about the same comes in order. */
  readonly about: string
  readonly ids: readonly string[]
  readonly accepted: boolean
  readonly at: number
}

const Body = z.object({
  type: z.string(),
  id: z.string(),
  sequence: z.number().optional(),
  challenge: z.string().optional(),
  subject: z
    .object({
      subscriptionId: z.string().nullable(),
      token: z.string().nullable(),
      provider: z.string().nullable(),
    })
    .optional(),
  data: z.object({ ids: z.array(z.string()).optional() }).optional(),
})

const SLOW_MS = 80

/** A server that receives webhooks at any path, and answers challenges. */
export class Receiver {
  readonly received: Received[] = []
  /** The bodies of the questions that URLs were asked first. */
  readonly challenges: string[] = []
  /** Decides how a request is answered. */
  manner: (path: string, body: string) => Manner = () => 'accept'
  #server: Server | undefined
  #url = ''

  async start(): Promise<this> {
    const server = createServer((request, response) => void this.#receive(request, response))
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    this.#server = server
    // Safe: a server that listens on TCP has such an address.
    this.#url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    return this
  }

  url(path: string): string {
    return `${this.#url}${path}`
  }

  at(path: string): Received[] {
    return this.received.filter((one) => one.path === path && one.type !== 'webhook.challenge')
  }

  async close(): Promise<void> {
    this.#server?.closeAllConnections()
    await new Promise((resolve) => this.#server?.close(resolve))
  }

  async #receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = []
    try {
      for await (const chunk of request) chunks.push(chunk)
    } catch {
      // The sender was killed.
      return
    }
    const text = Buffer.concat(chunks).toString('utf8')
    const path = request.url ?? ''
    const body = Body.parse(JSON.parse(text))
    if (body.challenge !== undefined) {
      this.challenges.push(text)
      response.end(body.challenge)
      return
    }
    const manner = this.manner(path, text)
    const accepted = manner === 'accept' || manner === 'slow'
    this.received.push({
      path,
      headers: Object.fromEntries(
        Object.entries(request.headers).map(([name, value]) => [name, String(value)]),
      ),
      body: text,
      id: body.id,
      type: body.type,
      sequence: body.sequence,
      subscription: body.subject?.subscriptionId ?? null,
      about: aboutOf(body.subject ?? {}),
      ids: body.data?.ids ?? [],
      accepted,
      at: performance.now(),
    })
    answer(response, manner)
  }
}

function answer(response: ServerResponse, manner: Manner): void {
  if (typeof manner === 'object') {
    response.writeHead(manner.status, manner.headers).end(manner.body)
    return
  }
  switch (manner) {
    case 'accept':
      response.end('ok')
      return
    case 'slow':
      setTimeout(() => response.end('ok'), SLOW_MS)
      return
    case 'fail':
      response.writeHead(500).end('no')
      return
    case 'gone':
      response.writeHead(410).end()
      return
    case 'redirect':
      response.writeHead(302, { Location: 'http://169.254.169.254/' }).end()
      return
    case 'close':
      response.destroy()
      return
    case 'cut':
      response.writeHead(200, { 'Content-Length': '100' })
      response.write('half')
      setTimeout(() => response.destroy(), 5)
      return
    case 'hang':
  }
}

/** What events have to be about to keep an order. */
export function aboutOf(subject: {
  readonly subscriptionId?: string | null
  readonly token?: string | null
  readonly provider?: string | null
}): string {
  return (subject.subscriptionId ?? subject.token ?? subject.provider ?? '').toLowerCase()
}

/**
 * What a receiver knows that deduplicates by id, and forgets what a retraction takes back: for each subscription, token or
 * provider the sequences of the log in the order in which it first heard them.
 */
export function knownOf(received: readonly Received[]): Map<string, number[]> {
  const had = new Set<string>()
  const known = new Map<string, number[]>()
  for (const one of received) {
    if (!one.accepted || one.sequence === undefined || had.has(one.id)) continue
    had.add(one.id)
    for (const id of one.ids) had.delete(id)
    known.set(one.about, [...(known.get(one.about) ?? []), one.sequence])
  }
  return known
}
