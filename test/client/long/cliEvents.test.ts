import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { verifyWebhook } from '@remit/client'
import { afterEach, describe, expect, it } from 'vitest'
import * as z from 'zod'
import { protocolOn } from '../../support/chain/protocolOn.ts'
import { useTestChain } from '../../support/chain/useTestChain.ts'
import { freePort } from '../../support/service/freePort.ts'
import { indexed } from '../../support/service/indexed.ts'
import { ADMIN_SECRET, useTestService } from '../../support/service/testService.ts'
import { type Circumstances, runInProcess } from '../cliRun.ts'

const chain = await useTestChain({ goesOn: true })
const { alice, bob, carol, dave, provider } = chain.wallets
const protocol = protocolOn(chain)
const plan = await protocol.create()
await protocol.join(plan, alice)
const service = await useTestService([chain])
await indexed(service, chain)

const SECRET = `whsec_${Buffer.from('a secret of this test').toString('base64')}`
const operator = { headers: { Authorization: `Bearer ${ADMIN_SECRET}` } }
const made = await service.post('/developer/keys', { subjectId: 'shop' }, operator)
// Without a key one stream may be open, and the service learns of an end a moment later.
const REMIT_API_KEY = z.object({ token: z.string() }).parse(made.body).token
const environment = { REMIT_URL: service.url, REMIT_API_KEY, REMIT_WEBHOOK_SECRET: SECRET }
const remit = (args: readonly string[], more: Circumstances = {}) =>
  runInProcess(args, { environment, ...more })

const Listed = z.object({ events: z.array(z.record(z.string(), z.json())), last: z.number() })
const logged = async () => Listed.parse((await service.get('/events?first=100')).body)
const linesOf = (out: string) => out.trimEnd().split('\n')

/** A server of somebody who develops: it takes what is signed with the secret, and forgets the rest. */
interface Shop {
  readonly url: string
  readonly bodies: string[]
  /** Answers each request with this. */
  status: number
  heard(count: number): Promise<void>
}

const servers = new Set<Server>()
afterEach(() => {
  for (const server of servers) server.closeAllConnections()
  for (const server of servers) server.close()
  servers.clear()
})

async function openShop(port = 0): Promise<Shop> {
  const bodies: string[] = []
  const server = createServer(async (request, response) => {
    const body = await text(request)
    await verifyWebhook(request.headers, body, SECRET)
    bodies.push(body)
    response.writeHead(shop.status).end()
  })
  servers.add(server)
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  // Safe: a server that listens on TCP has such an address.
  const { port: listening } = server.address() as AddressInfo
  const shop: Shop = {
    url: `http://127.0.0.1:${listening}/hook`,
    bodies,
    status: 204,
    heard: (count) => expect.poll(() => bodies.length, { timeout: 10_000 }).toBeGreaterThanOrEqual(count),
  }
  return shop
}

describe('remit events', () => {
  it('prints the log as a table, narrowed, and tells where to go on', async () => {
    const { code, out, err } = await remit(['events', '--provider', provider, '--type', 'payment.succeeded'])
    expect([code, err]).toEqual([0, 'Later ones with --after 3.\n'])
    expect(linesOf(out)).toEqual([
      expect.stringMatching(/^SEQUENCE +TIME +TYPE +FINALITY +SUBSCRIPTION +ACCOUNT$/),
      expect.stringMatching(/^ +3 +\S+.* payment\.succeeded +\w+ +0x\w+ +0x\w+$/),
    ])
  })

  it('prints each event as the service writes it with --json, page after page with --all', async () => {
    const { out } = await remit(['events', '--json', '--first', '1', '--all'])
    const { events } = await logged()
    expect(linesOf(out)).toEqual(events.map((event) => JSON.stringify(event)))
    expect((await remit(['events', '--json', '--first', '1'])).out).toBe(`${linesOf(out)[0]}\n`)
  })

  it.each([
    [['events', '--type', 'payment.lost'], 'type'],
    [['events', '--finality', 'sure'], '--finality must be'],
    [['events', '--subscription', '0x12'], '--subscription must be an id'],
    [['listen', '--provider', 'coffee'], '--provider must be an address'],
    [['listen', '--forward', 'localhost:4000'], '--forward must be the address'],
  ])('%j exits with 2 and says why', async (args, why) => {
    const { code, out, err } = await remit(args)
    expect([code, out]).toEqual([2, ''])
    expect(err).toContain(why)
  })
})

describe('remit listen', () => {
  it('prints what comes and hands it over as the service sends it, until it is interrupted', async () => {
    const shop = await openShop()
    const interrupt = new AbortController()
    const { last } = await logged()
    const listening = remit(['listen', '--after', `${last}`, '--account', bob, '--forward', shop.url], {
      signal: interrupt.signal,
    })
    await protocol.join(plan, carol)
    await protocol.join(plan, bob)
    await shop.heard(2)
    interrupt.abort()
    const { code, out, err } = await listening
    const { events } = await logged()
    const his = events.slice(-2)
    expect(shop.bodies.map((body) => JSON.parse(body))).toEqual(his)
    expect(linesOf(out)).toEqual(
      his.map(({ sequence }) => expect.stringMatching(`^${sequence} \\S+ \\w+\\.\\w+ `)),
    )
    expect([code, err]).toEqual([130, expect.stringMatching(/^It goes on with --after \d+\.\n$/)])
  }, 20_000)

  it('says of each event that its server does not take, goes on with the next, and ends only when told to', async () => {
    const shop = await openShop()
    shop.status = 422
    const interrupt = new AbortController()
    const { events } = await logged()
    const [dropped, next] = events.slice(-2)
    const args = ['listen', '--after', `${Number(dropped?.sequence) - 1}`, '--forward', shop.url]
    const listening = remit(args, { signal: interrupt.signal })
    // Four tries take ten seconds.
    await expect.poll(() => shop.bodies.length, { timeout: 25_000 }).toBe(5)
    expect(shop.bodies.map((body) => JSON.parse(body).sequence)).toEqual([
      ...Array.from({ length: 4 }, () => dropped?.sequence),
      next?.sequence,
    ])
    interrupt.abort()
    const { code, err } = await listening
    expect(code).toBe(130)
    expect(linesOf(err)).toEqual([
      `remit: ${dropped?.id} was not taken by ${new URL(shop.url).origin}: it answered 422`,
      `It goes on with --after ${dropped?.sequence}.`,
    ])
  }, 30_000)

  it('goes on trying while the service is away, and says so, until it is interrupted', async () => {
    const url = `http://127.0.0.1:${await freePort()}`
    const listening = remit(['listen', '--after', '5'], {
      environment: { REMIT_URL: url },
      signal: AbortSignal.timeout(1_500),
    })
    const { code, out, err } = await listening
    expect([code, out]).toEqual([130, ''])
    const lines = linesOf(err)
    expect(lines.length).toBeGreaterThan(1)
    expect(lines.pop()).toBe('It goes on with --after 5.')
    for (const line of lines) expect(line).toMatch(/^remit: waiting \d s to try again: .*127\.0\.0\.1/)
  })

  it('ends with 1 where its key is refused, and says what to check and where to go on', async () => {
    const key = { REMIT_URL: service.url, REMIT_API_KEY: `svc_${'0'.repeat(43)}` }
    const { code, out, err } = await remit(['listen', '--after', '2'], { environment: key })
    expect([code, out]).toEqual([1, ''])
    expect(linesOf(err)).toEqual([
      'It goes on with --after 2.',
      expect.stringMatching(/^remit: /),
      'Check REMIT_API_KEY or the file of --api-key-file.',
    ])
  })

  it('tries again while the server is down, and keeps the order', async () => {
    const port = await freePort()
    const interrupt = new AbortController()
    const from = (await logged()).last - 2
    const args = ['listen', '--after', `${from}`, '--forward', `http://127.0.0.1:${port}/hook`]
    const listening = remit(args, { signal: interrupt.signal })
    await new Promise((resolve) => setTimeout(resolve, 300))
    const shop = await openShop(port)
    await shop.heard(2)
    interrupt.abort()
    expect((await listening).code).toBe(130)
    expect(shop.bodies.map((body) => JSON.parse(body).sequence)).toEqual([from + 1, from + 2])
  }, 20_000)

  it('ends at once while it waits for a server, and goes on with what was not taken', async () => {
    const shop = await openShop()
    shop.status = 500
    await protocol.join(plan, dave)
    await indexed(service, chain)
    const from = (await logged()).last - 2
    const listenFrom = (after: number, signal: AbortSignal) =>
      remit(['listen', '--after', `${after}`, '--forward', shop.url], { signal })
    const [first, second] = [new AbortController(), new AbortController()]
    const listening = listenFrom(from, first.signal)
    // The third try is two seconds after the second.
    await shop.heard(2)
    first.abort()
    const { code, err } = await listening
    expect(shop.bodies).toHaveLength(2)
    expect(code).toBe(130)
    const after = Number(/--after (\d+)/.exec(err)?.[1] ?? from)
    expect(after).toBe(from)
    shop.status = 204
    shop.bodies.length = 0
    const again = listenFrom(after, second.signal)
    await shop.heard(2)
    second.abort()
    await again
    expect(shop.bodies.map((body) => JSON.parse(body).sequence)).toEqual([from + 1, from + 2])
  }, 20_000)
})
