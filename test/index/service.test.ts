import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { openStore } from '@remit/service/testing/store/openStore'
import type { Hex } from 'viem'
import { afterAll, describe, expect, it } from 'vitest'
import * as z from 'zod'
import { protocolOn } from '../support/chain/protocolOn.ts'
import { MONDAY_NOON, useTestChain } from '../support/chain/useTestChain.ts'
import { startCountingProxy } from '../support/nodes/countingProxy.ts'
import { environmentOf, reachesHead, startIndexer } from '../support/service/indexer.ts'
import { startTestService, type TestService, useTestService } from '../support/service/testService.ts'

const chain = await useTestChain()
const protocol = protocolOn(chain)
const { provider, alice } = chain.wallets
const plan = await protocol.create()
await protocol.join(plan, alice)
await chain.keep()

const folder = mkdtempSync(join(tmpdir(), 'remit-index-service-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
let files = 0
const freshUrl = () => `file:${join(folder, `${++files}.db`)}`

const History = z.object({
  events: z.array(z.object({ eventName: z.string(), transactionHash: z.string() })),
  index: z.object({ blockNumber: z.number(), synced: z.boolean() }),
})
const Status = z.object({
  status: z.string(),
  chains: z.array(
    z.object({
      index: z.object({
        ok: z.boolean(),
        blockNumber: z.number().nullable(),
        synced: z.boolean(),
        backfill: z.object({ percent: z.number(), blocksPerSecond: z.number() }).nullable(),
        alarm: z.string().nullable(),
      }),
    }),
  ),
})

async function historyOf(service: TestService, id: Hex, query = '') {
  const { body } = await service.get(`/subscriptions/${id}/history${query}`)
  return History.parse(body)
}

async function indexStatus(service: TestService) {
  const { body } = await service.get('/status')
  const { status, chains } = Status.parse(body)
  const [first] = chains
  if (first === undefined) throw new Error('the status has no chain')
  return { status, ...first.index }
}

async function until<T>(read: () => Promise<T>, isIt: (value: T) => boolean, timeoutMs = 25_000): Promise<T> {
  const deadline = performance.now() + timeoutMs
  for (;;) {
    const value = await read()
    if (isIt(value)) return value
    if (performance.now() > deadline) throw new Error(`it never came; at last: ${JSON.stringify(value)}`)
    await sleep(20)
  }
}

describe('an index in the process that serves', () => {
  it('shows a mined transaction within a second', async () => {
    const service = await useTestService([chain])
    await until(
      () => indexStatus(service),
      ({ synced }) => synced,
    )
    for (let round = 0; round < 3; round += 1) {
      const [log] = await protocol.send(provider, 'editDetails', [
        { url: '', description: `Round ${round}` },
        plan.id,
      ])
      const mined = performance.now()
      const details = async () => (await service.get(`/subscriptions/${plan.id}/details-history`)).body
      await until(details, (body) => JSON.stringify(body).includes(String(log?.transactionHash)))
      expect(performance.now() - mined).toBeLessThan(1_000)
    }
    await service.close()
  })

  it('shows the progress of the backfill in /status, and answers meanwhile', async () => {
    await chain.client.mine({ blocks: 300, interval: 2 })
    const node = await startCountingProxy(chain.url)
    node.fail({ delayMs: 40, answer: tenBlocks })
    const service = await startTestService([{ ...chain, url: node.url }])
    const during = await until(
      () => indexStatus(service),
      ({ backfill }) => (backfill?.percent ?? 0) > 5 && (backfill?.blocksPerSecond ?? 0) > 0,
    )
    expect(during).toMatchObject({ status: 'ok', ok: true, synced: false, alarm: null })
    expect((await historyOf(service, plan.id)).index.synced).toBe(false)
    node.fail({})
    const after = await until(
      () => indexStatus(service),
      ({ synced }) => synced,
    )
    expect(after).toMatchObject({ status: 'ok', ok: true, backfill: null, alarm: null })
    await service.close()
    await node.close()
  })
})

it('a process with INDEXER=false reads what another process fills, and sees its commits', async () => {
  const url = freshUrl()
  const reader = await startTestService([chain], { DATABASE_URL: url, INDEXER: 'false' })
  expect(await indexStatus(reader)).toMatchObject({ ok: true, blockNumber: null, synced: false })
  const { body } = await reader.get(`/subscriptions/${plan.id}/history`)
  expect(body).toMatchObject({ events: [], index: null, error: expect.stringContaining('being built') })

  const indexer = await startIndexer(environmentOf(chain, url))
  expect(indexer.output()).toBe('')
  await until(
    () => indexStatus(reader),
    ({ synced }) => synced,
  )
  expect((await historyOf(reader, plan.id)).events.map(({ eventName }) => eventName)).toContain('Created')

  const [log] = await protocol.send(alice, 'unsubscribe', [plan])
  const { index } = await historyOf(reader, plan.id, `?minBlock=${log?.blockNumber}`)
  expect(index.blockNumber).toBeGreaterThanOrEqual(Number(log?.blockNumber))
  expect(indexer.output().trim()).toBe('Remit indexes: chains 31337')
  indexer.process.kill('SIGTERM')
  expect(await indexer.ends()).toBe(0)
  await reader.close()
}, 40_000)

it('a store that belongs to another chain is refused at the start in a sentence, with exit code 1', async () => {
  const url = freshUrl()
  const first = await startTestService([chain], { DATABASE_URL: url })
  await until(
    () => indexStatus(first),
    ({ synced }) => synced,
  )
  await first.close()

  const elsewhere = { ...chain, contract: chain.tokens.usdc }
  await expect(startTestService([elsewhere], { DATABASE_URL: url })).rejects.toThrow(
    'The store holds another chain 31337: its contract is',
  )
  const readOnly = startTestService([elsewhere], { DATABASE_URL: url, INDEXER: 'false' })
  await expect(readOnly).rejects.toThrow('Use another DATABASE_URL')

  // The same chain id and the same addresses, but not the same chain.
  const other = await useTestChain({ timestamp: MONDAY_NOON + 86_400 })
  const indexer = await startIndexer(environmentOf(other, url))
  expect(await indexer.ends()).toBe(1)
  expect(indexer.output()).toMatch(
    /^The store holds another chain 31337: its genesis block is 0x\w+, and here/,
  )
  expect(indexer.output().trim().split('\n')).toHaveLength(1)
}, 40_000)

it('an alarm is in /status if the index differs from the contract', async () => {
  const url = freshUrl()
  const first = await startTestService([chain], { DATABASE_URL: url })
  await until(
    () => indexStatus(first),
    ({ synced }) => synced,
  )
  await first.close()
  const store = await openStore(url)
  await reachesHead(store, chain)
  await store.db.updateTable('subscriptions').set({ due_day: 5 }).execute()
  await store.close()

  const second = await startTestService([chain], { DATABASE_URL: url })
  const { status, alarm } = await until(
    () => indexStatus(second),
    (index) => index.alarm !== null,
  )
  expect(status).toBe('degraded')
  expect(alarm).toMatch(/^The index of chain 31337 differs from the contract at block \d+: the terms of/)
  await second.close()
})

/** A node that answers ten blocks at a time. */
function tenBlocks({ method, params }: { method: string; params: readonly unknown[] }) {
  if (method !== 'eth_getLogs') return undefined
  const [{ fromBlock, toBlock }] = z
    .tuple([z.object({ fromBlock: z.string(), toBlock: z.string() })])
    .parse(params)
  if (Number(toBlock) - Number(fromBlock) < 10) return undefined
  return { error: { code: -32_602, message: 'block range too large: at most 10 blocks' } }
}
