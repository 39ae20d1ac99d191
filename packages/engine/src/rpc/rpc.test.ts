import { createServer } from 'node:http'
import { startAnvil } from '@remit/devchain/testing/chain/anvil'
import { useCountingProxy } from '@remit/testing/support/nodes/countingProxy'
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest'
import * as z from 'zod'
import { UpstreamError, UpstreamTimeoutError } from '../errors/chain.ts'
import { RpcResponseError, UnknownBlockError } from './refusal.ts'
import { createRpc } from './rpc.ts'

const anvil = await startAnvil()
afterAll(() => anvil.stop())
const first = await useCountingProxy(anvil.url)
const second = await useCountingProxy(anvil.url)

const lines: { message: string; facts: unknown }[] = []
const keep = (message: string, facts?: unknown) => void lines.push({ message, facts })
const log = { info: keep, warn: keep, error: keep }
afterEach(() => void lines.splice(0))

const open = (urls = [first.url, second.url], timeoutMs = 2_000) =>
  createRpc({ chainId: anvil.chainId, urls, timeoutMs, log })
const blockNumber = ['eth_blockNumber', [], z.string()] as const
const alone = () => open([first.url])

/** Everything of an error that a log would show. */
function told(error: unknown): string {
  return error instanceof Error ? `${error.stack} ${told(error.cause)}` : String(error)
}

describe('a node that answers', () => {
  it('gets the requests of one tick in one HTTP request', async () => {
    const rpc = alone()
    await rpc.request(...blockNumber)
    first.reset()
    await Promise.all([rpc.request(...blockNumber), rpc.request('eth_gasPrice', [], z.string())])
    expect(first.requests).toBe(1)
    expect(first.methods).toEqual(['eth_blockNumber', 'eth_gasPrice'])
  })

  it('is asked for its chain once, together with what is asked first', async () => {
    const rpc = alone()
    await Promise.all([rpc.request(...blockNumber), rpc.request(...blockNumber)])
    expect(first.methods).toEqual(['eth_chainId', 'eth_blockNumber', 'eth_blockNumber'])
    expect(first.requests).toBe(1)
  })

  it('is accepted when it refuses, with the data of a revert', async () => {
    const rpc = alone()
    await rpc.request(...blockNumber)
    first.reset()
    // Init code that reverts with one byte.
    const failed = rpc.request('eth_call', [{ data: '0x60aa60005360016000fd' }, 'latest'], z.string())
    const error = await failed.catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(RpcResponseError)
    expect(error).toMatchObject({ code: 3, data: '0xaa' })
    expect(first.requests).toBe(1)
  })

  it('tells an unknown block from every other refusal', async () => {
    const hash = `0x${'12'.repeat(32)}`
    const rpc = open()
    for (const block of [{ blockHash: hash }, '0xffffff']) {
      await expect(rpc.request('eth_call', [{ data: '0x' }, block], z.string())).rejects.toBeInstanceOf(
        UnknownBlockError,
      )
    }
    expect(lines).toEqual([])
  })

  it('is not accepted if its answer does not fit', async () => {
    const error = await alone()
      .request('eth_blockNumber', [], z.number())
      .catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(UpstreamError)
  })
})

describe('a node that fails', () => {
  it('is tried again after a while', async () => {
    const rpc = alone()
    await rpc.request(...blockNumber)
    first.fail({ status: 503 })
    setTimeout(() => first.fail({}), 50)
    await expect(rpc.request(...blockNumber)).resolves.toMatch(/^0x/)
  })

  it('is passed over for the next URL, and that is logged once', async () => {
    first.fail({ drop: true })
    const rpc = open()
    for (let i = 0; i < 5; i++) await rpc.request(...blockNumber)
    expect(first.requests).toBe(1)
    expect(second.requests).toBe(5)
    expect(lines.map(({ message }) => message)).toEqual([
      `RPC 1 of chain ${anvil.chainId} could not be asked (UND_ERR_SOCKET)`,
    ])
  })

  it('delays nobody after the first when it hangs', async () => {
    first.fail({ hang: true })
    const rpc = open([first.url, second.url], 2_000)
    const begun = performance.now()
    await rpc.request(...blockNumber)
    expect(performance.now() - begun).toBeLessThan(2_000)
    const again = performance.now()
    await rpc.request(...blockNumber)
    expect(performance.now() - again).toBeLessThan(800)
  })

  it('comes back after it has passed a check in the background', async () => {
    first.fail({ drop: true })
    const rpc = open()
    await rpc.request(...blockNumber)
    first.fail({})
    first.reset()
    await expect
      .poll(
        async () => {
          await rpc.request(...blockNumber)
          return first.methods
        },
        { timeout: 5_000, interval: 50 },
      )
      .toContain('eth_blockNumber')
    expect(first.methods[0]).toBe('eth_chainId')
  })

  it.each([
    ['refuses everyone', { status: 429 }],
    ['speaks no JSON', { body: '<html>' }],
    ['refuses a batch as a whole', { body: '{"error":{"code":-32005,"message":"slow down"}}' }],
    ['answers a batch with nothing', { body: '[]' }],
    ['drops the connection', { drop: true }],
  ])('is an upstream error where it %s and there is no other', async (_, faults) => {
    const rpc = alone()
    await rpc.request(...blockNumber)
    first.fail(faults)
    const outcomes = await Promise.allSettled([rpc.request(...blockNumber), rpc.request(...blockNumber)])
    for (const outcome of outcomes) {
      expect(outcome).toMatchObject({ status: 'rejected', reason: { code: 'UPSTREAM_ERROR' } })
    }
  })

  it('is a timeout where it hangs and there is no other', async () => {
    const rpc = open([first.url], 600)
    await rpc.request(...blockNumber)
    first.fail({ hang: true })
    const begun = performance.now()
    await expect(rpc.request(...blockNumber)).rejects.toBeInstanceOf(UpstreamTimeoutError)
    // Once, and not again.
    expect(performance.now() - begun).toBeLessThan(1_200)
  })

  it('cannot send more than it should', async () => {
    const rpc = alone()
    await rpc.request(...blockNumber)
    first.fail({ body: `[{"id":1,"result":"${'0'.repeat(17 * 1024 * 1024)}"}]` })
    await expect(rpc.request(...blockNumber)).rejects.toBeInstanceOf(UpstreamError)
  })

  it('has no URL in any error or line of the log', async () => {
    const server = createServer((_, response) => response.writeHead(500).end('secret-key'))
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const address = server.address()
    const port = address !== null && typeof address === 'object' ? address.port : 0
    for (const url of [`http://127.0.0.1:${port}/secret-key`, 'http://localhost:1/secret-key']) {
      const error = await open([url])
        .request(...blockNumber)
        .catch((thrown: unknown) => thrown)
      expect(`${told(error)} ${JSON.stringify(lines)}`).not.toMatch(/secret-key|127\.0\.0\.1:|localhost:/)
    }
    server.close()
  })
})

describe('a node that says "not now"', () => {
  const refusals: [number, string][] = [
    [-32001, 'resource unavailable'],
    [-32002, 'the node is not synced'],
    [-32003, 'upstream is busy'],
    [-32046, 'Cannot fulfill request'],
    [-32080, 'Client connection timed out'],
    [-32097, 'internal service problem'],
    [-32500, 'unfinalized data'],
    [-32503, 'no backend is healthy'],
    [-32603, 'Internal error'],
    [-32600, 'project is disabled'],
    [-32000, 'request timed out'],
    [-32000, 'required historical state unavailable (reexec=128)'],
    [-32000, 'this history was pruned'],
    [10, 'Unable to route your request'],
    [15, 'no upstream answers in time'],
    [19, 'Temporary internal error. Please retry'],
    [30, 'the provider is overloaded'],
    [-1, 'words that nobody has seen before'],
  ]
  const call = ['eth_call', [{ data: '0x' }, 'latest'], z.string()] as const
  const refuses = (code: number, message: string, times: number) => {
    let left = times
    return ({ method }: { method: string }) =>
      method === 'eth_call' && left-- > 0 ? { error: { code, message } } : undefined
  }

  it.each(refusals)(
    'with %i, %s is not the last word: the next URL is asked, or it once more',
    async (code, message) => {
      first.fail({ answer: refuses(code, message, Number.POSITIVE_INFINITY) })
      await expect(open().request(...call)).resolves.toBe('0x')
      first.fail({ answer: refuses(code, message, 1) })
      await expect(alone().request(...call)).resolves.toBe('0x')
    },
  )

  it.each([401, 403, 404, 429, 500, 502, 503])('with HTTP %i is passed over', async (status) => {
    const rpc = open()
    await rpc.request(...call)
    first.fail({ status })
    await expect(rpc.request(...call)).resolves.toBe('0x')
  })

  it('for ever is asked a bounded number of times, and its error is thrown', async () => {
    const rpc = alone()
    await rpc.request(...blockNumber)
    first.fail({ answer: refuses(-32_050, 'not now', Number.POSITIVE_INFINITY) })
    first.reset()
    await expect(rpc.request(...call)).rejects.toMatchObject({ message: 'not now' })
    expect(first.requests).toBe(2)
  })

  it.each([
    [3, 'execution reverted'],
    [-32_000, 'insufficient funds for gas * price + value: address 0x01 have 0 want 1'],
    [-32_000, 'insufficient funds for transfer'],
    [-32_000, 'intrinsic gas too low: have 21000, want 21644'],
    [-32_003, 'nonce too low: next nonce 5, tx nonce 1'],
    [-32_000, 'max fee per gas less than block base fee'],
    [-32_000, 'tx fee (2.00 ether) exceeds the configured cap (1.00 ether), fee cap'],
    [-38_014, 'client has too little'],
    [-32_003, 'response too large'],
  ])('is told from a last word, which costs one request: %i, %s', async (code, message) => {
    const rpc = open()
    await rpc.request(...blockNumber)
    first.fail({ answer: refuses(code, message, Number.POSITIVE_INFINITY) })
    first.reset()
    second.reset()
    await expect(rpc.request(...call)).rejects.toMatchObject({ code, message })
    expect([first.requests, second.requests]).toEqual([1, 0])
  })

  it('has no such method only once each node that works said so, which is not asked again', async () => {
    const lacking = refuses(-32_601, 'the method eth_call does not exist', Number.POSITIVE_INFINITY)
    const rpc = open()
    first.fail({ answer: lacking })
    await expect(rpc.request(...call)).resolves.toBe('0x')
    second.fail({ answer: lacking })
    first.reset()
    await expect(rpc.request(...call)).rejects.toMatchObject({ code: -32_601 })
    expect(first.requests).toBe(1)
    second.fail({ drop: true })
    await expect(rpc.request(...call)).rejects.toMatchObject({ code: -32_601 })
  })
})

describe('a node on another chain', () => {
  beforeEach(() => first.fail({ chainId: 8453 }))

  it('has no answer used, and is asked no more; that is logged once', async () => {
    const rpc = open()
    for (let i = 0; i < 3; i++) await rpc.request(...blockNumber)
    expect(first.methods).toEqual(['eth_chainId', 'eth_blockNumber'])
    expect(second.methods.filter((method) => method === 'eth_blockNumber')).toHaveLength(3)
    expect(lines.map(({ message }) => message)).toEqual([`RPC 1 of chain ${anvil.chainId} is on chain 8453`])
  })

  it('is an upstream error where there is no other, until it is on the right one', async () => {
    const rpc = alone()
    await expect(rpc.request(...blockNumber)).rejects.toBeInstanceOf(UpstreamError)
    first.fail({})
    await expect(rpc.request(...blockNumber)).resolves.toMatch(/^0x/)
  })

  it('is asked for its chain again after it has failed', async () => {
    first.fail({})
    const rpc = alone()
    await rpc.request(...blockNumber)
    first.fail({ drop: true })
    await expect(rpc.request(...blockNumber)).rejects.toBeInstanceOf(UpstreamError)
    first.fail({ chainId: 8453 })
    await expect(rpc.request(...blockNumber)).rejects.toBeInstanceOf(UpstreamError)
  })
})

it('releases a caller at once that gives up', async () => {
  const rpc = alone()
  await rpc.request(...blockNumber)
  first.fail({ hang: true })
  const leaving = new AbortController()
  const request = rpc.request(...blockNumber, { signal: leaving.signal })
  leaving.abort(new Error('gone'))
  await expect(request).rejects.toThrow('gone')
})
