import { planOf, useProvingGround } from '@remit/testing/support/chain/useProvingGround'
import type { Faults } from '@remit/testing/support/nodes/countingProxy'
import { type Hex, numberToHex } from 'viem'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import type { Log } from '../ports/log.ts'
import { createProver } from '../proof/prover.ts'
import { NodeLimits } from '../rpc/limits/NodeLimits.ts'
import { Quantity } from '../rpc/quantity.ts'
import { UnknownBlockError } from '../rpc/refusal.ts'
import { createTransactions } from '../transactions/transactions.ts'
import { BlockReader } from './BlockReader.ts'

const ground = await useProvingGround()
const { access, client, wallets, node, tokens } = ground
const { alice, bob } = wallets
const TEN_MINUTES_MS = 600_000

type Rule = NonNullable<Faults['answer']>

const namesHash: (call: Parameters<Rule>[0]) => boolean = ({ params }) =>
  params.some((param) => z.object({ blockHash: z.string() }).safeParse(param).success)

const refusesHashes: Rule = (call) =>
  namesHash(call)
    ? { error: { code: -32602, message: 'invalid argument 1: cannot unmarshal object' } }
    : undefined

const gone = (view: Awaited<ReturnType<typeof ground.view>>) => ({
  ...view,
  asOf: { ...view.asOf, blockHash: `0x${'77'.repeat(32)}` as const },
})

/** A reader whose clock and log the test holds. */
function readerWithClock() {
  const clock = { nowMs: 0 }
  const warnings: unknown[] = []
  const log: Log = { info() {}, error() {}, warn: (message, facts) => void warnings.push([message, facts]) }
  const limits = new NodeLimits({ now: () => clock.nowMs })
  return { clock, warnings, blocks: new BlockReader({ rpc: access.rpc, log, limits: () => limits }) }
}

describe('a node that takes a block by its number only', () => {
  it('is asked by number, with the header in the same HTTP request, and by hash no more', async () => {
    const plan = planOf(alice, [ground.approve(tokens.usdc, 1n)])
    const view = await ground.view()
    await view.read.token(tokens.usdc)
    node.fail({ answer: refusesHashes })
    const prover = createProver(access)
    expect((await prover.prove(view, plan)).simulation.method).toBe('eth_simulateV1')
    ground.counted()
    expect((await prover.prove(view, plan)).simulation.method).toBe('eth_simulateV1')
    expect(ground.counted()).toEqual({
      requests: 1,
      methods: ['eth_feeHistory', 'eth_getBlockByNumber', 'eth_simulateV1'],
    })
    await expect(prover.prove(gone(view), plan)).rejects.toBeInstanceOf(UnknownBlockError)

    const { transactionHash } = await ground.send(alice, { to: bob })
    const sent = { from: alice, nonce: 0 }
    const outcome = await createTransactions(access).transaction(await ground.view(), transactionHash, sent)
    expect(outcome.status).toBe('success')
  })

  it('is told of once, and asked by hash again after ten minutes', async () => {
    const { clock, warnings, blocks } = readerWithClock()
    const view = await ground.view()
    const asked: string[] = []
    node.fail({
      answer: (call) => {
        if (call.method === 'eth_getBalance') asked.push(namesHash(call) ? 'hash' : 'number')
        return refusesHashes(call)
      },
    })
    const balance = () => blocks.request(view, 'eth_getBalance', [alice], Quantity)
    expect(await balance()).toMatchObject({ kind: 'result' })
    await balance()
    clock.nowMs = TEN_MINUTES_MS
    await balance()
    expect(asked).toEqual(['hash', 'number', 'number', 'hash', 'number'])
    expect(warnings).toEqual([['the node reads in a slower way', { chainId: ground.chainId, byHash: false }]])
  })

  it('is not accepted where a call reverts at another block', async () => {
    const { blocks } = readerWithClock()
    node.fail({ answer: refusesHashes })
    const revert = { to: ground.contract, data: '0xdeadbeef' } as const
    const view = await ground.view()
    expect(await blocks.call(view, revert)).toMatchObject({ kind: 'reverted' })
    expect(await blocks.call(gone(view), revert)).toMatchObject({ kind: 'unknownBlock' })
  })
})

describe('an answer', () => {
  it('is of the parent block where that is asked for, and of no parent on another branch', async () => {
    const { blocks } = readerWithClock()
    await ground.send(alice, { to: bob })
    const view = await ground.view()
    // Answers with the number of the block that it runs in.
    const code: Hex = '0x435f5260205ff3'
    const call = (asked: typeof view) =>
      blocks.call(asked, { to: bob, data: '0x' }, { code: { [bob]: code }, onParent: true })
    const answer = await call(view)
    expect(answer).toMatchObject({ result: numberToHex(view.asOf.blockNumber - 1, { size: 32 }) })
    expect(await call(gone(view))).toMatchObject({ kind: 'unknownBlock' })
  })

  it('to a simulation is of the block after the view’s, at the time of the chain’s clock', async () => {
    const { blocks } = readerWithClock()
    // Answers with the number and the time of the block that it runs in.
    await client.setCode({ address: bob, bytecode: '0x435f524260205260405ff3' })
    await client.mine({ blocks: 1 })
    const view = await ground.view()
    const now = view.asOf.timestamp + 40
    const answer = await blocks.simulate({ ...view, now }, [{ from: alice, to: bob, data: '0x' }])
    const words = [view.asOf.blockNumber + 1, now].map((word) => numberToHex(word, { size: 32 }).slice(2))
    expect(answer).toMatchObject({ result: [{ returnData: `0x${words.join('')}` }] })
  })

  it('to a simulation that names another block is asked for once more, and then refused', async () => {
    const { blocks } = readerWithClock()
    const view = await ground.view()
    const other = `0x${'77'.repeat(32)}`
    const named = [other, view.asOf.blockHash]
    const calls = [{ status: '0x1', returnData: '0x', gasUsed: '0x5208', logs: [] }]
    node.fail({
      answer: ({ method }) =>
        method === 'eth_simulateV1' ? { result: [{ parentHash: named.shift() ?? other, calls }] } : undefined,
    })
    const simulate = () => blocks.simulate(view, [{ from: alice, to: bob, data: '0x' }])
    expect(await simulate()).toMatchObject({ kind: 'result' })
    expect(named).toEqual([])
    expect(await simulate()).toMatchObject({ kind: 'unknownBlock' })
  })

  it('tells a revert, a refusal and a block that is gone apart', async () => {
    const { blocks } = readerWithClock()
    const view = await ground.view()
    const question = { to: ground.contract, data: '0xdeadbeef' } as const
    expect(await blocks.call(view, question)).toMatchObject({ kind: 'reverted', ranOutOfGas: false })
    expect(await blocks.call(gone(view), question)).toMatchObject({ kind: 'unknownBlock' })
    node.fail({ answer: () => ({ error: { code: -32000, message: 'not for you' } }) })
    expect(await blocks.call(view, question)).toMatchObject({ kind: 'refused', lacksMethod: false })
  })
})

it('asks a node that lacks eth_simulateV1 for it once, and again after ten minutes', async () => {
  const { clock, blocks } = readerWithClock()
  const view = await ground.view()
  let asked = 0
  node.fail({
    answer: ({ method }) => {
      if (method !== 'eth_simulateV1') return undefined
      asked += 1
      return { error: { code: -32601, message: 'the method does not exist' } }
    },
  })
  const simulate = () => blocks.simulate(view, [{ from: alice, to: bob, data: '0x' }])
  for (const nowMs of [0, 1, TEN_MINUTES_MS]) {
    clock.nowMs = nowMs
    expect(await simulate()).toMatchObject({ kind: 'refused', lacksMethod: true })
  }
  expect(asked).toBe(2)
})
