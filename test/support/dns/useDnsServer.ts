import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type Answer, decode, encode, type Packet, RECURSION_DESIRED } from 'dns-packet'
import { afterAll } from 'vitest'

/** What a server has at a name. */
export interface DnsEntry {
  /** The strings of each TXT record. */
  readonly txt?: readonly (readonly string[])[]
  /** The name that this one is an alias of. */
  readonly cname?: string
  /** Seconds; default 300. */
  readonly ttl?: number
  /** The code of a failure: 2 is SERVFAIL. */
  readonly rcode?: number
  /** It takes the question, and never answers. */
  readonly isSilent?: boolean
  /** What it puts into its answer beside, or in place of, what is true. */
  readonly forged?: Partial<Packet>
  /** What it sends first, as one who guesses the question: with another id. */
  readonly guessed?: readonly string[]
}

/** A DNS server of the test's own, over UDP and over HTTPS’s form. Names that it does not know do not exist. */
export interface DnsServer {
  /** As a resolver is configured. */
  readonly address: string
  /** Of DNS over HTTP, with the messages of DNS over HTTPS. */
  readonly url: string
  /** By name, in lower case. */
  readonly zone: Map<string, DnsEntry>
  /** Every name that was asked for. */
  readonly asked: string[]
  /** What the HTTP server answers in place of a message. */
  instead: { readonly status: number; readonly type: string; readonly body: string | Buffer } | undefined
}

const NXDOMAIN = 3
/** A zone of a few aliases may be a ring. */
const MOST_LINKS = 5

/** A DNS server for this test file. */
export async function useDnsServer(): Promise<DnsServer> {
  const zone: DnsServer['zone'] = new Map()
  const asked: string[] = []
  const udp = createSocket('udp4')
  udp.on('message', (message, { port, address }) => {
    const question = decode(message)
    const name = nameOf(question)
    asked.push(name)
    const entry = zone.get(name)
    if (entry?.isSilent) return
    const send = (packet: Packet) => udp.send(encode(packet), port, address)
    if (entry?.guessed) {
      const guess = answerOf(question, new Map([[name, { txt: [entry.guessed] }]]))
      send({ ...guess, id: ((question.id ?? 0) + 1) % 65_536 })
    }
    send(answerOf(question, zone))
  })
  udp.bind(0, '127.0.0.1')
  await once(udp, 'listening')

  const http = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    if (server.instead !== undefined) {
      const { status, type, body } = server.instead
      response.writeHead(status, { 'content-type': type }).end(body)
      return
    }
    const question = decode(Buffer.concat(chunks))
    const name = nameOf(question)
    asked.push(name)
    if (zone.get(name)?.isSilent) return
    response
      .writeHead(200, { 'content-type': 'application/dns-message' })
      .end(encode(answerOf(question, zone)))
  })
  http.listen(0, '127.0.0.1')
  await once(http, 'listening')
  afterAll(() => {
    udp.close()
    http.closeAllConnections()
    http.close()
  })
  const server: DnsServer = {
    address: `127.0.0.1:${udp.address().port}`,
    url: `http://127.0.0.1:${portOf(http.address())}/dns-query`,
    zone,
    asked,
    instead: undefined,
  }
  return server
}

function portOf(address: string | AddressInfo | null): number {
  if (address === null || typeof address === 'string') throw new Error('the server does not listen')
  return address.port
}

function nameOf({ questions = [] }: Packet): string {
  return questions[0]?.name.toLowerCase() ?? ''
}

function answerOf(question: Packet, zone: DnsServer['zone']): Packet {
  const answers: Answer[] = []
  let name = nameOf(question)
  const first = zone.get(name)
  for (let links = 0; links < MOST_LINKS; links += 1) {
    const { txt = [], cname, ttl = 300 } = zone.get(name) ?? {}
    for (const data of txt) answers.push({ type: 'TXT', class: 'IN', name, ttl, data: [...data] })
    if (cname === undefined) break
    answers.push({ type: 'CNAME', class: 'IN', name, ttl, data: cname })
    name = cname
  }
  const rcode = first === undefined ? NXDOMAIN : (first.rcode ?? 0)
  return {
    id: question.id ?? 0,
    type: 'response',
    flags: RECURSION_DESIRED | rcode,
    questions: question.questions ?? [],
    answers: rcode === 0 ? answers : [],
    ...first?.forged,
  }
}
