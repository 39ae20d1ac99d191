import { SmallQuantity } from '@remit/engine/rpc/quantity'
import { serve } from '@remit/testing/support/service/serve'
import { expect, it } from 'vitest'
import { RawNode } from './RawNode.ts'

it('asks again once the time is over that a node asks for', async () => {
  const asked: number[] = []
  const url = await serve((_, response) => {
    asked.push(performance.now())
    if (asked.length === 1) response.writeHead(429, { 'Retry-After': '1' }).end('slow down')
    else response.end(JSON.stringify({ jsonrpc: '2.0', id: 1, result: '0x7' }))
  })
  const node = new RawNode({ url, chainId: 7, timeoutMs: 5_000 })
  expect(await node.request('eth_chainId', [], SmallQuantity)).toBe(7)
  expect((asked[1] ?? 0) - (asked[0] ?? 0)).toBeGreaterThan(950)
})

it('gives up where waiting does not help', async () => {
  const error = { code: -32_005, message: 'rate limit exceeded', data: { try_again_in: '10ms' } }
  const url = await serve((_, response) => response.end(JSON.stringify({ jsonrpc: '2.0', id: 1, error })))
  const node = new RawNode({ url, chainId: 7, timeoutMs: 5_000 })
  await expect(node.request('eth_chainId', [], SmallQuantity)).rejects.toMatchObject({ kind: 'limited' })
  expect(node.posts).toBe(3)
})
