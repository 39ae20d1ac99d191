import { startAnvil } from '@remit/devchain/testing/chain/anvil'
import { createDevClient } from '@remit/devchain/testing/chain/client'
import { openNodeSocket } from '@remit/service/testing/processes/openNodeSocket'
import { revertTo } from '@remit/testing/support/chain/revertTo'
import { silentLog } from '@remit/testing/support/chain/useReadingGround'
import { useCountingProxy } from '@remit/testing/support/nodes/countingProxy'
import { numberToHex } from 'viem'
import { afterAll, afterEach, describe, expect, it } from 'vitest'
import * as z from 'zod'
import { createRpc } from '../rpc/rpc.ts'
import { HeadWatcher } from './HeadWatcher.ts'

const anvil = await startAnvil()
afterAll(() => anvil.stop())
const client = createDevClient(anvil.url)
const proxy = await useCountingProxy(anvil.url)
const node = createRpc({ chainId: anvil.chainId, urls: [anvil.url], log: silentLog })
const watchers: HeadWatcher[] = []
afterEach(() => {
  for (const watcher of watchers.splice(0)) watcher.stop()
})

const POLL_MS = 40

/** A running watcher; `reorgs` counts the reorgs that it reports. */
function watch({ timeoutMs = 1_000, running = true } = {}) {
  const rpc = createRpc({ chainId: anvil.chainId, urls: [proxy.url], timeoutMs, log: silentLog })
  const seen = { reorgs: 0 }
  const head = new HeadWatcher({
    openSocket: openNodeSocket,
    rpc,
    pollMs: POLL_MS,
    rollbackAfterMs: 200,
    isDevChain: true,
    log: silentLog,
    onReorg: () => {
      seen.reorgs += 1
    },
  })
  watchers.push(head)
  if (running) head.start()
  return { head, seen }
}

const latest = async () => {
  const { number, hash, parentHash, timestamp } = await client.getBlock()
  return { number: Number(number), hash, parentHash, timestamp: Number(timestamp) }
}

describe('the head', () => {
  it('is waited for by the first reads', async () => {
    proxy.fail({ delayMs: 100 })
    const { head } = watch()
    expect(head.health()).toMatchObject({ ok: false, blockNumber: null, latencyMs: null })
    expect(await head.current()).toMatchObject(await latest())
    expect(head.health()).toMatchObject({ ok: true, blockNumber: (await latest()).number })
  })

  it('calls every listener when it moves, until the listener stops', async () => {
    const { head } = watch({ running: false })
    await head.current()
    const heard: number[] = []
    const stop = head.onHead(() => heard.push(head.seen()?.number ?? -1))
    head.start()
    await client.mine({ blocks: 1 })
    const { number } = await latest()
    await expect.poll(() => heard).toEqual([number])
    stop()
    await client.mine({ blocks: 1 })
    await expect.poll(() => head.seen()?.number).toBe(number + 1)
    expect(heard).toEqual([number])
  })

  it('is asked for where nobody watches', async () => {
    const { head } = watch({ running: false })
    expect(await head.current()).toMatchObject(await latest())
  })

  it('follows the chain', async () => {
    const { head } = watch()
    await head.current()
    await client.mine({ blocks: 3 })
    await expect.poll(() => head.current()).toMatchObject(await latest())
  })

  it('costs no request of its own', async () => {
    const { head } = watch({ running: false })
    await head.current()
    proxy.reset()
    for (let i = 0; i < 10; i++) await head.current()
    expect(proxy.requests).toBe(0)
  })

  it('does not go back to the block of a node that lags', async () => {
    const { head, seen } = watch()
    await client.mine({ blocks: 2 })
    const { number } = await latest()
    await head.waitFor(number)
    const older = await node.request('eth_getBlockByNumber', [numberToHex(number - 1), false], z.unknown())
    let turn = 0
    proxy.fail({
      answer: ({ method }) =>
        method === 'eth_getBlockByNumber' && turn++ % 2 === 0 ? { result: older } : undefined,
    })
    for (let i = 0; i < 20; i++) {
      expect((await head.current()).number).toBe(number)
      await new Promise((resolve) => setTimeout(resolve, POLL_MS / 2))
    }
    expect(seen.reorgs).toBe(0)
  })

  it('follows a chain that was reorganised or rolled back', async () => {
    await client.mine({ blocks: 3 })
    const { head, seen } = watch()
    await head.current()
    await node.request('anvil_reorg', [2, []], z.unknown())
    await expect.poll(() => head.current()).toMatchObject(await latest())
    expect(seen.reorgs).toBe(1)

    // After the reorg, because anvil cannot revert over one.
    const snapshot = await client.snapshot()
    await client.mine({ blocks: 2 })
    await expect.poll(() => head.current()).toMatchObject(await latest())
    await revertTo(client, snapshot)
    const rolledBack = await latest()
    await expect.poll(() => head.current()).toMatchObject(rolledBack)
    expect(seen.reorgs).toBe(2)
  })
})

describe('a block that is still to come', () => {
  it('is waited for', async () => {
    const { head } = watch({ running: false })
    const { number } = await head.current()
    setTimeout(() => client.mine({ blocks: 1 }), 150)
    expect(await head.waitFor(number + 1)).toMatchObject({ number: number + 1 })
  })

  it('is a named error if it does not come', async () => {
    const { head } = watch()
    const { number } = await head.current()
    const begun = performance.now()
    await expect(head.waitFor(number + 9, 300)).rejects.toMatchObject({
      code: 'BLOCK_NOT_SEEN',
      facts: { minBlock: number + 9, headNumber: number },
    })
    expect(performance.now() - begun).toBeLessThan(10_000)
  })
})

describe('a chain that does not answer', () => {
  it('keeps its last head for a while, and then fails until it answers again', async () => {
    const { head } = watch()
    const known = await head.current()
    proxy.fail({ drop: true })
    await expect.poll(() => head.health().ok).toBe(false)
    expect(head.health().blockNumber).toBe(known.number)
    expect(await head.current()).toEqual(known)
    await expect
      .poll(() => head.current().catch((error: unknown) => error))
      .toMatchObject({ code: 'UPSTREAM_ERROR' })
    proxy.fail({})
    await expect.poll(() => head.health().ok).toBe(true)
    expect(await head.current()).toMatchObject(await latest())
  })

  it('is a timeout if it hangs from the start', async () => {
    proxy.fail({ hang: true })
    const { head } = watch({ timeoutMs: 200 })
    await expect(head.current()).rejects.toMatchObject({ code: 'UPSTREAM_TIMEOUT' })
  })
})
