import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { serve } from '@hono/node-server'
import { createClient } from '@remit/client'
import {
  createGate,
  expressGate,
  fetchGate,
  type GateClient,
  type GateOptions,
  honoGate,
  type Member,
} from '@remit/client/gate'
import { wrapFetchWithSIWx } from '@x402/extensions/sign-in-with-x'
import express from 'express'
import { Hono } from 'hono'
import {
  type Address,
  concatHex,
  createPublicClient,
  getCreate2Address,
  type Hex,
  http,
  keccak256,
  serializeErc6492Signature,
  zeroAddress,
} from 'viem'
import { afterEach, describe, expect, it } from 'vitest'
import * as z from 'zod'
import { asWallet, NO, YES, YES_TO_NONE } from '../portal/contractWallet.ts'
import { protocolOn, tupleOf } from '../support/chain/protocolOn.ts'
import { signerOf, useTestChain } from '../support/chain/useTestChain.ts'
import { indexed } from '../support/service/indexed.ts'
import { useTestService } from '../support/service/testService.ts'
import { type Signer, signedHeader, told } from './gateGround.ts'

const chain = await useTestChain()
const protocol = protocolOn(chain)
const { alice, bob, carol, provider, keeper } = chain.wallets
const weekly = await protocol.create()
await protocol.join(weekly, alice)
await protocol.join(weekly, bob, { balance: 25_000_000n, allowance: 12_000_000n })
await chain.keep()
const service = await useTestService([chain])
const client = createClient({ url: service.url, chainId: chain.chainId })

const signers = new Map(Array.from({ length: 12 }, (_, index) => [signerOf(index).address, signerOf(index)]))
function keyOf(address: Address) {
  const signer = signers.get(address)
  if (signer === undefined) throw new Error('no key')
  return signer
}

const URL_OF_GATE = 'https://api.example'
function open(options: Partial<GateOptions> = {}) {
  const settings = {
    chainId: chain.chainId,
    plans: [{ id: weekly.id }],
    client,
    service: service.url,
    keepMs: 0,
  }
  const gate = createGate({ url: URL_OF_GATE, ...settings, ...options })
  const handle = fetchGate(gate, (_, member) => Response.json(member))
  const send: typeof fetch = (input, init) => handle(new Request(input, init))
  return { gate, send, url: options.url ?? URL_OF_GATE }
}

it('a member enters by one signature; who is removed keeps what is paid, then lapses within the session, and is in again by subscribing', async () => {
  const gate = open()
  const session = { headers: await signedHeader(gate, keyOf(alice)) }
  const enter = async () => {
    await indexed(service, chain)
    return gate.send(gate.url, session)
  }
  const entered = await enter()
  expect(await entered.json()).toEqual({
    address: alice,
    chainId: chain.chainId,
    subscriptionId: weekly.id,
    paidThrough: '2026-03-03',
    shown: 'signature',
  })
  await protocol.send(provider, 'unsubscribeByProvider', [tupleOf(weekly.id), alice])
  expect((await enter()).status).toBe(200)
  await chain.advanceDays(2)
  expect(await told(await enter())).toMatchObject({
    status: 402,
    code: 'LAPSED',
    error: expect.stringContaining('2026-03-03'),
  })
  await protocol.join(weekly, alice)
  expect((await enter()).status).toBe(200)
})

it('who is dropped is out at once; a stranger subscribes by what the answer 402 says', async () => {
  const gate = open()
  const enter = async (address: Address) => {
    await indexed(service, chain)
    return wrapFetchWithSIWx(gate.send, keyOf(address))(gate.url)
  }
  expect((await enter(bob)).status).toBe(200)
  const refused = await enter(carol)
  expect(refused.status).toBe(402)
  const Offer = z.object({
    accepts: z.array(
      z.object({
        amount: z.string(),
        asset: z.string(),
        extra: z.object({
          subscribe: z.url(),
          prepare: z.object({ method: z.string(), url: z.url(), input: z.looseObject({ from: z.string() }) }),
        }),
      }),
    ),
  })
  const {
    accepts: [plan],
  } = Offer.parse(await refused.json())
  if (plan === undefined) throw new Error('no plan')
  expect(plan).toMatchObject({ amount: '10000000', asset: chain.tokens.usdc })
  expect((await fetch(plan.extra.subscribe)).status).toBe(200)
  const { url, method, input } = plan.extra.prepare
  expect(input.from).toBe(carol)
  await protocol.fund(chain.tokens.usdc, carol, { balance: 1_000_000_000n })
  await service.caughtUp()
  const prepared = await fetch(url, {
    method,
    body: JSON.stringify(input),
    headers: { 'Content-Type': 'application/json' },
  })
  const { unsignedTransactions } = z
    .object({ unsignedTransactions: z.array(z.object({ to: z.string() })) })
    .parse(await prepared.json())
  expect(unsignedTransactions.map(({ to }) => to)).toEqual([chain.tokens.usdc, chain.contract])
  await protocol.join(weekly, carol)
  expect((await enter(carol)).status).toBe(200)
  await chain.advanceDays(3)
  for (let calls = 0; calls < 6; calls += 1) await protocol.send(keeper, 'remit', []).catch(() => undefined)
  await chain.advanceDays(7)
  for (let calls = 0; calls < 8; calls += 1) await protocol.send(keeper, 'remit', []).catch(() => undefined)
  expect(await told(await enter(bob))).toMatchObject({ status: 402, code: 'LAPSED' })
  expect((await enter(carol)).status).toBe(200)
})

it('a plan that does not exist lets nobody in, and the operator hears of it', async () => {
  const failures: unknown[] = []
  const { send } = open({ plans: [{ id: `0x${'12'.repeat(32)}` }], onError: (error) => failures.push(error) })
  expect((await wrapFetchWithSIWx(send, keyOf(alice))(URL_OF_GATE)).status).toBe(503)
  expect(failures).toMatchObject([{ code: 'NOT_FOUND' }])
})

it('a node alone tells who is a member: who left or was dropped, and whose plan has ended, is none', async () => {
  // As docs/gate.md has it.
  const own = createClient({ node: chain.url, contracts: { [chain.chainId]: chain.contract } })
  const ownNode: GateClient = {
    async getMembership({ id, address }) {
      for await (const row of own.each.getAccountSubscriptions({ address, bySubscriber: true })) {
        const entitled = row.status === 0 && !row.subscription.cancelled
        if (row.subscription.id === id.toLowerCase()) return { entitled, paidThrough: null }
      }
      return undefined
    },
    getSubscription: (input) => own.getSubscription(input),
  }
  const { send } = open({ client: ownNode })
  const enter = async (address: Address) =>
    (await told(await wrapFetchWithSIWx(send, keyOf(address))(URL_OF_GATE))).code ?? 'in'
  expect([await enter(alice), await enter(bob), await enter(carol)]).toEqual(['in', 'in', 'NOT_A_MEMBER'])
  await protocol.send(bob, 'unsubscribe', [tupleOf(weekly.id)])
  // What is a second old still counts.
  await expect.poll(() => enter(bob), { timeout: 10_000 }).toBe('LAPSED')
  await protocol.send(provider, 'cancelSubscription', [weekly])
  await expect.poll(() => enter(alice), { timeout: 10_000 }).toBe('LAPSED')
})

describe('a wallet that is a contract', () => {
  const node = createPublicClient({ transport: http(chain.url, { retryCount: 0 }) })
  const everybody: GateOptions['client'] = {
    getMembership: async () => ({ entitled: true, paidThrough: null }),
    getSubscription: (input, options) => client.getSubscription(input, options),
  }
  async function enter(signer: Signer, options: Partial<GateOptions> = {}) {
    const gate = open({ node, client: everybody, ...options })
    return gate.send(gate.url, { headers: await signedHeader(gate, signer) })
  }
  const wallet: Address = `0x${'a1'.repeat(20)}`
  const holds = (bytecode: Hex) => chain.client.setCode({ address: wallet, bytecode })

  it('enters if its contract confirms the signature, on every request anew', async () => {
    await holds(YES)
    expect((await enter(asWallet(wallet))).status).toBe(200)
    await holds(YES_TO_NONE)
    expect((await enter(asWallet(wallet, '0x'))).status).toBe(200)
    await holds(NO)
    expect(await told(await enter(asWallet(wallet)))).toMatchObject({
      status: 402,
      code: 'SIGN_IN_REFUSED',
      error: expect.stringContaining('no contract there confirms it'),
    })
  })

  it('enters before it is deployed (ERC-6492)', async () => {
    const length = ((YES.length - 2) / 2).toString(16).padStart(2, '0')
    const initCode = concatHex([`0x60${length}600c60003960${length}6000f3`, YES])
    const factory = '0x4e59b44847b379578588920ca78fbf26c0b4956c'
    const salt: Hex = `0x${'00'.repeat(32)}`
    const address = getCreate2Address({ from: factory, salt, bytecodeHash: keccak256(initCode) })
    const data = concatHex([salt, initCode])
    const signature = serializeErc6492Signature({ address: factory, data, signature: '0x1234' })
    expect((await enter(asWallet(address, signature))).status).toBe(200)
    expect(await chain.client.getCode({ address })).toBeUndefined()
  })

  it('is nobody where there is no contract', async () => {
    const rubbish: Hex = `0x${'00'.repeat(65)}`
    for (const address of [
      keyOf(carol).address,
      `0x${'0'.repeat(39)}1`,
      `0x${'0'.repeat(39)}4`,
      zeroAddress,
    ] as const) {
      for (const signature of ['0x', rubbish, await keyOf(bob).signMessage({ message: 'x' })] as const) {
        expect((await enter(asWallet(address, signature))).status, `${address} ${signature}`).toBe(402)
      }
    }
  })

  it('does not enter where the node cannot be asked, is of another chain, or runs out of gas: a member with a key does', async () => {
    await holds(YES)
    const away = createPublicClient({ transport: http('http://127.0.0.1:1', { retryCount: 0 }) })
    expect((await enter(asWallet(wallet), { node: away })).status).toBe(503)
    expect((await enter(keyOf(carol), { node: away })).status).toBe(200)
    // Its call fails after its chain was told.
    const failing = { getChainId: () => node.getChainId(), call: away.call }
    expect((await enter(asWallet(wallet), { node: failing })).status).toBe(503)
    const elsewhere = { getChainId: async () => 1, call: node.call }
    expect((await enter(asWallet(wallet), { node: elsewhere })).status).toBe(503)
    await holds('0x5b600056')
    expect((await enter(asWallet(wallet))).status).toBe(402)
  })
})

describe('over HTTP', () => {
  const closing: (() => void)[] = []
  afterEach(() => {
    for (const close of closing.splice(0)) close()
  })
  const welcome = ({ address }: Member) => `Welcome, ${address}`

  /** Serves on a free port, whose address the gate has to know before it is made. */
  function listen(app: (url: string) => (server: ReturnType<typeof createServer>) => void): Promise<string> {
    return new Promise((resolve) => {
      const server = createServer()
      server.listen(0, '127.0.0.1', () => {
        const { port } = server.address() as AddressInfo
        const url = `http://127.0.0.1:${port}`
        app(url)(server)
        resolve(url)
      })
      closing.push(() => server.close())
    })
  }

  const withExpress = () =>
    listen((url) => (server) => {
      const app = express()
      app.use('/members', expressGate(open({ url }).gate))
      app.get('/members/report', (_, response) => void response.send(welcome(response.locals.member)))
      app.get('/', (_, response) => void response.send('open'))
      server.on('request', app)
    })

  const withHono = async () => {
    const app = new Hono<{ Variables: { member: Member } }>()
    let served: ReturnType<typeof serve> | undefined
    const url = await new Promise<string>((resolve) => {
      served = serve(
        { fetch: (request: Request) => app.fetch(request), hostname: '127.0.0.1', port: 0 },
        ({ port }) => resolve(`http://127.0.0.1:${port}`),
      )
    })
    closing.push(() => served?.close())
    app.use('/members/*', honoGate(open({ url }).gate))
    app.get('/members/report', (context) => context.text(welcome(context.get('member'))))
    app.get('/', (context) => context.text('open'))
    return url
  }

  it.each([
    ['Express', withExpress],
    ['Hono', withHono],
  ])('%s: members reach what is behind the gate, and everybody what is beside it', async (_, start) => {
    await indexed(service, chain)
    const url = await start()
    expect(await told(await fetch(url))).toEqual({ status: 200, text: 'open' })
    const refused = await fetch(`${url}/members/report?page=2`)
    const text = await refused.clone().text()
    expect(await told(refused)).toMatchObject({ status: 402, code: 'NOTHING_SHOWN' })
    expect(JSON.parse(text)).toMatchObject({ resource: { url: `${url}/members/report?page=2` } })
    const answer = await wrapFetchWithSIWx(fetch, keyOf(alice))(`${url}/members/report`)
    expect(answer.headers.get('Cache-Control')).toBe('private')
    expect(await told(answer)).toEqual({ status: 200, text: `Welcome, ${alice}` })
    expect((await wrapFetchWithSIWx(fetch, keyOf(carol))(`${url}/members/report`)).status).toBe(402)
  })
})
