import { reorganise } from '@remit/testing/support/chain/reorganise'
import { planOf, useProvingGround } from '@remit/testing/support/chain/useProvingGround'
import { silentLog } from '@remit/testing/support/chain/useReadingGround'
import type { Faults } from '@remit/testing/support/nodes/countingProxy'
import { zeroAddress } from 'viem'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { createProver } from '../proof/prover.ts'
import { createRemitTrials } from '../remit/remitTrials.ts'
import { NodeLimits } from '../rpc/limits/NodeLimits.ts'
import { Quantity } from '../rpc/quantity.ts'
import { UnknownBlockError } from '../rpc/refusal.ts'
import { createRpc } from '../rpc/rpc.ts'
import { BlockReader } from './BlockReader.ts'

const ground = await useProvingGround({ goesOn: true })
const { access, client, wallets, node, tokens } = ground
const { alice, bob } = wallets
const CAP = 2 ** 24

type Rule = NonNullable<Faults['answer']>
type Call = Parameters<Rule>[0]

const namesHash = ({ params }: Call) =>
  params.some((param) => z.object({ blockHash: z.string() }).safeParse(param).success)

const noBacklog = async () => ({ admin: zeroAddress, lists: [], wallets: [] })

/** The newest block, as a view. It holds a transaction, so a block that replaces it has another hash. */
async function newestView() {
  await ground.send(alice, { to: bob })
  const view = await ground.view()
  await view.read.token(tokens.usdc)
  return view
}

/** On a node that takes numbers only: replaces the newest block just before this method is asked for the nth time. */
function reorganiseBefore(method: string, nth: number, rule: Rule) {
  let asked = 0
  let isReorganised = false
  node.fail({
    answer: (call) =>
      namesHash(call)
        ? { error: { code: -32602, message: 'invalid argument 1: cannot unmarshal object' } }
        : rule(call),
    before: async (calls) => {
      if (!calls.some((call) => call.method === method && !namesHash(call))) return
      asked += 1
      if (asked !== nth) return
      isReorganised = true
      await reorganise(client, 1, [])
    },
  })
  return { happened: () => isReorganised }
}

it('notices a reorg before the second round of a proof', async () => {
  const plan = planOf(alice, [ground.approve(tokens.usdc, 1n)])
  const view = await newestView()
  // The first round asks eth_simulateV1, which the node lacks; the second asks for the wallet's code.
  const reorg = reorganiseBefore('eth_getCode', 1, ({ method }) =>
    method === 'eth_simulateV1'
      ? { error: { code: -32601, message: 'the method does not exist' } }
      : undefined,
  )
  await expect(createProver(access).prove(view, plan)).rejects.toBeInstanceOf(UnknownBlockError)
  expect(reorg.happened()).toBe(true)
})

it('notices a reorg before the third round of a trial of remit', async () => {
  const view = await newestView()
  const outOfGas = { status: '0x0', gasUsed: `0x${CAP.toString(16)}`, returnData: '0x', logs: [] }
  const simulations: Rule[] = [
    () => ({ error: { code: -38026, message: 'client limit exceeded' } }),
    () => ({ result: [{ calls: Array.from({ length: 8 }, () => outOfGas) }] }),
  ]
  // Eight calls are refused, then the first runs out of its share, and then it is made again with more.
  const reorg = reorganiseBefore('eth_simulateV1', 3, (call) =>
    call.method === 'eth_simulateV1' ? simulations.shift()?.(call) : undefined,
  )
  const trials = createRemitTrials(access)
  await expect(
    trials({ ...view, read: { ...view.read, backlog: noBacklog } }).probe(alice),
  ).rejects.toBeInstanceOf(UnknownBlockError)
  expect(reorg.happened()).toBe(true)
})

describe('on a node that takes few requests at once', () => {
  const read = (batch: number, count: number) => {
    const rpc = createRpc({ chainId: ground.chainId, urls: [node.url], log: silentLog, limits: [{ batch }] })
    const limits = new NodeLimits({ set: { batch, blockHash: false } })
    const blocks = new BlockReader({ rpc, log: silentLog, limits: () => limits })
    return async (view: Awaited<ReturnType<typeof newestView>>) =>
      Promise.all(
        Array.from({ length: count }, () => blocks.request(view, 'eth_getBalance', [alice], Quantity)),
      )
  }

  it('a header is asked for after the answer, and shows a reorg between the two', async () => {
    const one = read(1, 1)
    const view = await newestView()
    expect(await one(view)).toMatchObject([{ kind: 'result' }])
    const reorg = reorganiseBefore('eth_getBlockByNumber', 1, () => undefined)
    expect(await one(view)).toMatchObject([{ kind: 'unknownBlock' }])
    expect(reorg.happened()).toBe(true)
  })

  it('an answer that came without the header has one of its own afterwards', async () => {
    const five = read(3, 5)
    const view = await newestView()
    await five(view)
    node.reset()
    expect((await five(view)).every(({ kind }) => kind === 'result')).toBe(true)
    // Three and three, the header among them; and one more header for those that came without it.
    expect(node.requests).toBe(3)
    expect(node.methods.filter((method) => method === 'eth_getBlockByNumber')).toHaveLength(2)
  })
})
