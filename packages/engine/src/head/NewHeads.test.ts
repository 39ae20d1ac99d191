import { once } from 'node:events'
import { startAnvil } from '@remit/devchain/testing/chain/anvil'
import { createDevClient } from '@remit/devchain/testing/chain/client'
import { openNodeSocket } from '@remit/service/testing/processes/openNodeSocket'
import { useCountingProxy } from '@remit/testing/support/nodes/countingProxy'
import { afterAll, afterEach, expect, it } from 'vitest'
import { type WebSocket, WebSocketServer } from 'ws'
import { createRpc } from '../rpc/rpc.ts'
import { HeadWatcher } from './HeadWatcher.ts'

const anvil = await startAnvil()
afterAll(() => anvil.stop())
const client = createDevClient(anvil.url)
const proxy = await useCountingProxy(anvil.url)
const socketUrl = anvil.url.replace('http', 'ws')
const cleanUps: (() => void)[] = []
afterEach(() => {
  for (const cleanUp of cleanUps.splice(0)) cleanUp()
})

/** A watcher that asks by itself every `pollMs`. */
function watch({
  headUrls,
  pollMs = 400,
  idleAfterMs = Infinity,
}: {
  headUrls: string[]
  pollMs?: number
  idleAfterMs?: number
}) {
  const told: string[] = []
  const tell = (message: string, facts?: unknown) => void told.push(`${message} ${JSON.stringify(facts)}`)
  const log = { info: tell, warn: tell, error: tell }
  const rpc = createRpc({ chainId: anvil.chainId, urls: [proxy.url], log })
  const head = new HeadWatcher({
    openSocket: openNodeSocket,
    rpc,
    pollMs,
    headUrls,
    idleAfterMs,
    rollbackAfterMs: 200,
    isDevChain: true,
    log,
    onReorg: () => {},
  })
  head.start()
  cleanUps.push(() => head.stop())
  return { head, told }
}

const mineOne = async () => {
  await client.mine({ blocks: 1 })
  return Number((await client.getBlock()).number)
}

/** Sees a new block within a time in which it is not asked for. */
async function isAnnounced(head: HeadWatcher, withinMs = 250): Promise<boolean> {
  const number = await mineOne()
  const deadline = performance.now() + withinMs
  while (performance.now() < deadline) {
    if (head.seen()?.number === number) return true
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
  return false
}

it('takes blocks that are announced, and asks for hardly any', async () => {
  const { head } = watch({ headUrls: [socketUrl], pollMs: 20_000 })
  await expect.poll(() => isAnnounced(head)).toBe(true)
  // The first question may be answered after the first announcement.
  await expect.poll(() => head.health().latencyMs).not.toBeNull()
  proxy.reset()
  for (let block = 0; block < 5; block += 1) expect(await isAnnounced(head, 5_000)).toBe(true)
  expect(proxy.requests).toBe(0)
  expect(head.health().ok).toBe(true)
})

it('asks where nobody announces, and listens again when somebody does', async () => {
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1' })
  cleanUps.push(() => server.close())
  await once(server, 'listening')
  const address = server.address()
  const dead = typeof address === 'object' && address !== null ? `ws://127.0.0.1:${address.port}/s3cret` : ''
  const connected = once(server, 'connection')
  const { head, told } = watch({ headUrls: [dead, socketUrl], pollMs: 100 })
  const [socket]: WebSocket[] = await connected
  socket?.terminate()
  const number = await mineOne()
  await expect.poll(() => head.seen()?.number).toBe(number)
  await expect.poll(() => told.join()).toContain('no WebSocket announces new blocks')
  expect(told.join()).not.toContain('s3cret')
  await expect
    .poll(async () => (await isAnnounced(head)) && told.join(), { timeout: 10_000 })
    .toContain('new blocks are announced again')
})

it('believes no announcement of another chain, and none that is no header', async () => {
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1' })
  cleanUps.push(() => server.close())
  const header = {
    number: '0xffffff',
    hash: `0x${'1'.repeat(64)}`,
    parentHash: `0x${'2'.repeat(64)}`,
    timestamp: '0x1',
  }
  let connections = 0
  server.on('connection', (socket) => {
    connections += 1
    const chainId = connections === 1 ? '0x1' : `0x${anvil.chainId.toString(16)}`
    socket.send(JSON.stringify({ jsonrpc: '2.0', id: 1, result: chainId }))
    const result = connections === 1 ? header : { ...header, number: 'many' }
    socket.send(
      JSON.stringify({ jsonrpc: '2.0', method: 'eth_subscription', params: { subscription: '0x1', result } }),
    )
  })
  await once(server, 'listening')
  const address = server.address()
  const url = typeof address === 'object' && address !== null ? `ws://127.0.0.1:${address.port}` : ''
  const { head } = watch({ headUrls: [url], pollMs: 50 })
  await expect.poll(() => connections).toBeGreaterThan(2)
  expect(head.seen()?.number).toBe(Number((await client.getBlock()).number))
})

it('asks seldom while nobody calls, and gives the first caller a fresh head', async () => {
  const { head } = watch({ headUrls: [], pollMs: 50, idleAfterMs: 300 })
  await head.current()
  await expect.poll(() => head.isIdle).toBe(true)
  await new Promise((resolve) => setTimeout(resolve, 100))
  proxy.reset()
  const number = await mineOne()
  await new Promise((resolve) => setTimeout(resolve, 500))
  expect(proxy.requests).toBe(0)
  expect(head.health().ok).toBe(true)
  expect((await head.currentInBackground()).number).toBeLessThan(number)
  head.touch()
  expect(head.health().ok).toBe(true)
  await expect.poll(async () => (await head.current()).number).toBe(number)
  expect(await head.current()).toMatchObject({ number })
  // Whoever goes on calling keeps it awake.
  const requests = () => {
    head.touch()
    return proxy.requests
  }
  await expect.poll(requests, { timeout: 10_000 }).toBeGreaterThan(3)
})
