import { zeroAddress } from 'viem'
import { expect, it } from 'vitest'
import * as z from 'zod'
import { reorganise } from '../../../test/support/chain/reorganise.ts'
import { planOf, useProvingGround } from '../../../test/support/chain/useProvingGround.ts'
import type { Faults } from '../../../test/support/nodes/countingProxy.ts'
import { createProver } from '../proof/prover.ts'
import { createRemitTrials } from '../remit/remitTrials.ts'
import { UnknownBlockError } from '../rpc/refusal.ts'

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
    () => ({ result: [{ calls: [outOfGas] }] }),
  ]
  // Eight calls are refused, one call runs out of gas, and then it is made again with all the gas of a block.
  const reorg = reorganiseBefore('eth_simulateV1', 3, (call) =>
    call.method === 'eth_simulateV1' ? simulations.shift()?.(call) : undefined,
  )
  const trials = createRemitTrials(access)
  await expect(
    trials({ ...view, read: { ...view.read, backlog: noBacklog } }).probe(alice),
  ).rejects.toBeInstanceOf(UnknownBlockError)
  expect(reorg.happened()).toBe(true)
})
