import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer, request as requestOf } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { webSocket } from 'viem'
import { afterAll, describe, expect, it } from 'vitest'
import { WebSocket } from 'ws'
import * as z from 'zod'
import { createDevClient } from '../chain/client.ts'
import { startDevnet } from '../startDevnet.ts'
import { ALLOWED_METHODS } from './allowedMethods.ts'

const devnet = await startDevnet()
afterAll(() => devnet.stop())
const client = createDevClient(devnet.url)

/** A server of this machine that pages have no business with. */
let reached = 0
const bystander = createServer((_, response) => {
  reached += 1
  response.end('{"jsonrpc":"2.0","id":1,"result":"a secret"}')
})
await once(bystander.listen(0, '127.0.0.1'), 'listening')
afterAll(() => void bystander.close())
// Safe: it listens on TCP.
const bystanderUrl = `http://127.0.0.1:${(bystander.address() as AddressInfo).port}`

interface Said {
  readonly status: number
  readonly text: string
  readonly headers: Record<string, unknown>
}

/** One request as it is, with any Host, which `fetch` would not send. */
function say(body: string, headers: Record<string, string> = {}, method = 'POST'): Promise<Said> {
  return new Promise((resolve, reject) => {
    const request = requestOf(devnet.url, {
      method,
      headers: { 'Content-Type': 'application/json', ...headers },
    })
    request.once('error', reject)
    request.once('response', async (response) => {
      let text = ''
      for await (const chunk of response.setEncoding('utf8')) text += chunk
      resolve({ status: response.statusCode ?? 0, text, headers: response.headers })
    })
    request.end(body)
  })
}

/** Opens a socket as a browser does, says something, and waits for the answer, or for why there is none. */
function sayOnSocket(body: string, headers: Record<string, string> = {}): Promise<string> {
  return new Promise((resolve) => {
    const socket = new WebSocket(devnet.url.replace('http', 'ws'), { headers })
    socket.once('open', () => socket.send(body))
    socket.once('error', (error) => resolve(error.message))
    socket.once('close', (code) => resolve(`closed: ${code}`))
    socket.once('message', (data) => {
      resolve(String(data))
      socket.close()
    })
  })
}

const call = (method: string, params: unknown = [], id: unknown = 1) => ({
  jsonrpc: '2.0',
  id,
  method,
  params,
})
const text = (method: string, params: unknown = []) => JSON.stringify(call(method, params))
const MINE = text('evm_mine')
const { host } = new URL(devnet.url)
const height = () => client.getBlockNumber()

const STRANGE_HOSTS = [
  'evil.example',
  'evil.example:8545',
  '127.0.0.1.evil.example',
  'localhost.evil.example',
  'a@127.0.0.1',
  '0.0.0.0',
]
const STRANGE_ORIGINS = [
  'https://evil.example',
  'null',
  'http://localhost.evil.example',
  'http://127.0.0.2:3000',
  'http://localhost:3000, https://evil.example',
  'file://',
  'https://evil.example/chrome-extension://abc',
]
const OWN_ORIGINS = [
  'http://localhost:5173',
  'http://127.0.0.1:3000',
  'http://[::1]:3000',
  'chrome-extension://nkbihfbeogaeaoehlefnkodbefgpgknn',
  'moz-extension://5a3b9c0e-2f6d-4f3a-9c58-1f2d3e4a5b6c',
]

describe('who is let through to the development chain', () => {
  it.each(STRANGE_HOSTS)('is nobody who calls it %s', async (name) => {
    const before = await height()
    expect((await say(MINE, { Host: name })).status).toBe(403)
    expect(await sayOnSocket(MINE, { Host: name })).toContain('403')
    expect(await height()).toBe(before)
  })

  it.each(STRANGE_ORIGINS)('is no page of %s, whatever the type of its body', async (origin) => {
    const before = await height()
    for (const type of ['application/json', 'text/plain']) {
      const { status, headers } = await say(MINE, { Origin: origin, 'Content-Type': type })
      expect([status, headers['access-control-allow-origin']]).toEqual([403, undefined])
    }
    expect(await sayOnSocket(MINE, { Origin: origin })).toContain('403')
    const asked = { Origin: origin, 'Access-Control-Request-Method': 'POST' }
    const preflight = await say('', asked, 'OPTIONS')
    expect([preflight.status, preflight.headers['access-control-allow-origin']]).toEqual([403, undefined])
    expect(await height()).toBe(before)
  })

  it.each(OWN_ORIGINS)('is a page of %s, which may read the answer', async (origin) => {
    const { status, headers, text: told } = await say(text('eth_chainId'), { Origin: origin })
    expect([status, headers['access-control-allow-origin'], headers.vary]).toEqual([200, origin, 'Origin'])
    expect(JSON.parse(told)).toMatchObject({ result: '0x7a69' })
    expect(await sayOnSocket(text('eth_chainId'), { Origin: origin })).toContain('0x7a69')
    const { status: preflight, headers: allowed } = await say(
      '',
      {
        Origin: origin,
        'Access-Control-Request-Method': 'POST',
        'Access-Control-Request-Headers': 'content-type,x-of-its-own',
        'Access-Control-Request-Private-Network': 'true',
      },
      'OPTIONS',
    )
    expect([preflight, allowed]).toMatchObject([
      204,
      {
        'access-control-allow-origin': origin,
        'access-control-allow-methods': 'POST',
        'access-control-allow-headers': 'content-type,x-of-its-own',
        'access-control-allow-private-network': 'true',
      },
    ])
  })

  it.each([host, 'localhost', 'LOCALHOST:8545', '[::1]:8545'])(
    'is a program that calls it %s',
    async (name) => {
      expect((await say(text('eth_chainId'), { Host: name })).status).toBe(200)
      expect(await sayOnSocket(text('eth_chainId'), { Host: name })).toContain('0x7a69')
    },
  )
})

const FORKING = [{ forking: { jsonRpcUrl: bystanderUrl } }]
const REFUSED: readonly (readonly [string, unknown])[] = [
  ['anvil_reset', []],
  ['anvil_reset', FORKING],
  ['hardhat_reset', FORKING],
  ['anvil_setRpcUrl', [bystanderUrl]],
  ['anvil_loadState', ['0x']],
  ['hardhat_loadState', ['0x']],
  ['anvil_dumpState', []],
  ['anvil_setChainId', [1]],
  ['debug_traceTransaction', [`0x${'00'.repeat(32)}`, { tracer: '{}' }]],
  ['debug_dbGet', ['a']],
  ['ANVIL_RESET', FORKING],
  [' anvil_reset', FORKING],
  ['constructor', []],
]

describe('what is let through', () => {
  const refusal = expect.stringContaining('"code":-32601')

  it.each(REFUSED)(
    'is nothing that names a URL or a file, or puts another chain here: %s %j',
    async (method, params) => {
      const before = await client.getBlock()
      const body = text(method, params)
      expect(await say(body)).toMatchObject({ status: 200, text: refusal })
      expect(await sayOnSocket(body)).toEqual(refusal)
      const batch = JSON.stringify([call('evm_mine', [], 'first'), call(method, params, 2)])
      for (const told of [(await say(batch)).text, await sayOnSocket(batch)]) {
        expect(JSON.parse(told)).toMatchObject([
          { id: 'first', error: { code: -32_600 } },
          { id: 2, error: { code: -32_601 } },
        ])
      }
      expect((await client.getBlock()).hash).toBe(before.hash)
      expect(reached).toBe(0)
    },
  )

  it.each([
    [
      'one of two methods',
      `{"id":1,"method":"eth_chainId","method":"anvil_reset","params":${JSON.stringify(FORKING)}}`,
    ],
    [
      'one written in another way',
      `{"id":1,"method":"anvil\\u005freset","params":${JSON.stringify(FORKING)}}`,
    ],
  ])('is judged as it is sent on: %s', async (_, body) => {
    expect((await say(body)).text).toEqual(refusal)
    expect(reached).toBe(0)
  })

  it('is what was read, of a text that says two things', async () => {
    const body = '{"jsonrpc":"2.0","id":7,"method":"anvil_reset","method":"eth_chainId","params":[]}'
    expect(JSON.parse((await say(body)).text)).toEqual({ jsonrpc: '2.0', id: 7, result: '0x7a69' })
  })

  it.each([
    '',
    '{',
    '[]',
    '[[]]',
    `[[${MINE}]]`,
    '"evm_mine"',
    '{"method":["evm_mine"]}',
    `${MINE}${MINE}`,
    '['.repeat(200_000),
  ])('is no text that is no call: %#', async (body) => {
    const before = await height()
    expect(JSON.parse((await say(body)).text)).toMatchObject({
      id: null,
      error: { code: expect.any(Number) },
    })
    expect(await height()).toBe(before)
  })

  it('is no number that would be another one', async () => {
    const body = '{"jsonrpc":"2.0","id":1,"method":"evm_setNextBlockTimestamp","params":[9007199254740993]}'
    expect((await say(body)).text).toContain('hexadecimal')
  })

  it('is no message of more than 16 MiB, and the chain goes on', async () => {
    const long = text('anvil_setCode', [devnet.contractAddress, `0x${'00'.repeat(9_000_000)}`])
    const status = await say(long).then(
      (said) => said.status,
      () => 413,
    )
    expect(status).toBe(413)
    expect(await sayOnSocket(long)).toBe('closed: 1009')
    expect(await client.getChainId()).toBe(31_337)
  })

  it('is POST and its preflight', async () => {
    for (const method of ['GET', 'PUT', 'DELETE']) expect((await say('', {}, method)).status).toBe(405)
  })
})

describe('what programs of this machine do with the chain', () => {
  const overSocket = createDevClient(devnet.url, webSocket(devnet.url.replace('http', 'ws')))

  it.each([
    ['HTTP', client],
    ['a WebSocket', overSocket],
  ])('works over %s: snapshots, the clock, accounts, sending, logs and simulations', async (_, chain) => {
    const address = devnet.wallets.newcomer
    const before = await chain.getBlock()
    const id = await chain.snapshot()
    await chain.increaseTime({ seconds: 86_400 })
    await chain.mine({ blocks: 1 })
    await chain.setBalance({ address, value: 7n * 10n ** 18n })
    await chain.impersonateAccount({ address: devnet.contractAddress })
    const hash = await chain.sendTransaction({
      account: address,
      to: devnet.contractAddress,
      chain: null,
      gas: 90_000n,
    })
    // The chain's own clock may mine blocks in between.
    const { blockHash } = await chain.waitForTransactionReceipt({ hash, pollingInterval: 50 })
    expect((await chain.getBlock({ blockHash })).timestamp).toBeGreaterThanOrEqual(before.timestamp + 86_400n)
    expect((await chain.getLogs({ address: devnet.contractAddress, fromBlock: 0n })).length).toBeGreaterThan(
      50,
    )
    const simulated = await chain.simulateBlocks({ blocks: [{ calls: [{ account: address, to: address }] }] })
    expect(simulated[0]?.calls[0]?.status).toBe('success')
    await chain.revert({ id })
    expect((await chain.getBlock({ blockNumber: before.number })).hash).toBe(before.hash)
    await expect(chain.getTransactionReceipt({ hash })).rejects.toThrow('could not be found')
  })

  it('is told over the socket of new blocks, and answers batches', async () => {
    let told = 0
    const stop = await overSocket.transport.subscribe({
      params: ['newHeads'],
      onData: () => {
        told += 1
      },
    })
    await client.mine({ blocks: 2 })
    await expect.poll(() => told, { timeout: 10_000 }).toBe(2)
    await stop.unsubscribe()
    const batch = JSON.stringify([call('eth_chainId', [], 1), call('eth_blockNumber', [], 2)])
    const Answers = z.array(z.object({ id: z.number(), result: z.string() }))
    for (const answers of [(await say(batch)).text, await sayOnSocket(batch)]) {
      expect(Answers.parse(JSON.parse(answers)).map(({ id }) => id)).toEqual([1, 2])
    }
    const line = await overSocket.transport.getRpcClient()
    line.close()
  })
})

it('is listed in the guide, method by method', () => {
  const guide = readFileSync(join(import.meta.dirname, '../../../../docs/start.md'), 'utf8')
  const section = guide.split('\n## ').find((part) => part.startsWith('Who may call the development chain'))
  const families = [...(section ?? '').matchAll(/^- `(\w+)_`: ([\s\S]+?)(?=\n- |\n\n)/gm)]
  const listed = families.flatMap(([, family, names = '']) =>
    [...names.matchAll(/`(\w+)`/g)].map(([, name]) => `${family}_${name}`),
  )
  expect(listed.toSorted()).toEqual([...ALLOWED_METHODS].toSorted())
})
