import { ChainEntry } from '@remit/engine/chain/registry'
import { RemitError } from '@remit/engine/errors/base'
import { makeForecast } from '@remit/engine/operations/outlook/makeForecast'
import { BlockGoneError } from '@remit/engine/ports/chains'
import type { UpstreamRequest } from '@remit/engine/ports/nodes'
import { protocolOn } from '@remit/testing/support/chain/protocolOn'
import { silentLog, useReadingGround } from '@remit/testing/support/chain/useReadingGround'
import { afterAll, expect, it } from 'vitest'
import { answerInThread, ForecastThread } from '../ForecastThread.ts'

const REQUEST = '6f1c1a3e-5a3f-4d0a-9a55-0d1f6b1c2d3e'
// A thread that is started from source reads a thousand files first.
const STARTING_MS = 60_000

const ground = await useReadingGround()
const { chainId, client } = ground
const { alice, bob } = ground.wallets
const plan = await protocolOn(ground).create()
for (const payer of [alice, bob]) await ground.protocol.join(plan, payer)
await ground.keep()

const threads: ForecastThread[] = []
afterAll(() => Promise.all(threads.map((thread) => thread.close())))

function open(options: Partial<ConstructorParameters<typeof ForecastThread>[0]> = {}) {
  const { contract: contractAddress, tokens, url } = ground
  const entry = ChainEntry.parse({
    chainId,
    name: 'Test chain',
    contractAddress,
    rpcUrls: [url],
    tokens: Object.values(tokens),
  })
  const thread = new ForecastThread({
    entries: [entry],
    rpcTimeoutMs: 30_000,
    log: silentLog,
    ...options,
  })
  threads.push(thread)
  return thread
}

async function question() {
  const { number, hash, parentHash, timestamp: seconds } = await client.getBlock()
  const timestamp = Number(seconds)
  const block = { number: Number(number), hash, parentHash, timestamp }
  return { chainId, block, now: timestamp + 1, lastDay: Math.floor(timestamp / 86_400) + 32 }
}

it('makes what the process itself would make, and tells which requests to nodes it took', {
  timeout: STARTING_MS,
}, async () => {
  const requests: UpstreamRequest[] = []
  const observer = {
    upstreamAsked: (request: UpstreamRequest) => requests.push(request),
    blockCacheAsked() {},
  }
  const asked = await question()
  const made = await open({ observer }).make(asked)
  expect(made).toEqual(await ground.view((view) => makeForecast(view, asked.lastDay)))
  expect([...made.charges.byAccount.keys()].toSorted()).toEqual(
    [alice, bob].map((payer) => payer.toLowerCase()).toSorted(),
  )
  expect(requests).toContainEqual(expect.objectContaining({ chainId, endpoint: 1 }))
})

it('answers what takes long as the process itself would, with its errors', {
  timeout: 2 * STARTING_MS,
}, async () => {
  const thread = open()
  const { keeper } = ground.wallets
  const outcomes: unknown[] = []
  for (const days of [0, 7]) {
    if (days > 0) await ground.advanceDays(days)
    for (const operation of ['prepare_remit', 'check_remit_readiness', 'simulate_remit']) {
      const { block } = await question()
      await ground.view(async (view) => {
        const asked = {
          chainId,
          block,
          now: view.now,
          operation,
          input: { from: keeper },
          requestId: REQUEST,
        }
        const here = await outcomeOf(answerInThread(view, asked))
        expect(await outcomeOf(thread.answer(asked)), operation).toEqual(here)
        outcomes.push(here)
      })
    }
  }
  expect(outcomes).toMatchObject([
    { error: { code: 'NOT_READY', status: 422 } },
    { result: { ready: false } },
    { result: { paid: 0 } },
    { result: { preflight: { expectedTransactions: 1 } } },
    { result: { ready: true } },
    { result: { paid: 2 } },
  ])
})

it('says that a block is gone whose answer it was to make', { timeout: STARTING_MS }, async () => {
  const { block, now } = await question()
  const gone = { ...block, hash: `0x${'99'.repeat(32)}` as const }
  const input = { from: ground.wallets.keeper }
  const asked = { chainId, block: gone, now, operation: 'simulate_remit', input, requestId: REQUEST }
  await expect(open().answer(asked)).rejects.toThrow(BlockGoneError)
})

it('says why it could not make one', { timeout: STARTING_MS }, async () => {
  const asked = await question()
  const gone = { ...asked, block: { ...asked.block, hash: `0x${'99'.repeat(32)}` as const } }
  await expect(open().make(gone)).rejects.toThrow(/^BlockGoneError: /)
})

it('ends a thread that takes too much memory, and starts another for the next question', {
  timeout: 2 * STARTING_MS,
}, async () => {
  const thread = open({ mostHeapMb: 6 })
  await expect(thread.make(await question())).rejects.toThrow(/memory/)
  await expect(thread.make(await question())).rejects.toThrow(/memory/)
})

it('makes nothing after it was closed, and what it was making fails', { timeout: STARTING_MS }, async () => {
  const thread = open()
  const making = thread.make(await question())
  await Promise.all([expect(making).rejects.toThrow(), thread.close()])
  await expect(thread.make(await question())).rejects.toThrow()
})

/** The result, or what a caller is told of the error. */
async function outcomeOf(answering: Promise<object>) {
  try {
    return { result: await answering }
  } catch (error) {
    if (!(error instanceof RemitError)) throw error
    const { name, message, code, status, issues, facts, headers } = error
    return { error: { name, message, code, status, issues, facts, headers } }
  }
}
