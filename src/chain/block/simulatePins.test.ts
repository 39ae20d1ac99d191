import { expect, it } from 'vitest'
import { planOf, useProvingGround } from '../../../test/support/chain/useProvingGround.ts'
import { createProver } from '../proof/prover.ts'
import { UnknownBlockError } from '../rpc/rpc.ts'
import { createTransactions } from '../transactions/transactions.ts'

const ground = await useProvingGround()
const { access, wallets, node, tokens } = ground

it('goes by number where a node takes no hashes, and asks for hashes no more', async () => {
  const plan = planOf(wallets.alice, [ground.approve(tokens.usdc, 1n)])
  const view = await ground.view()
  await view.read.token(tokens.usdc)
  node.fail({
    answer: ({ params }) =>
      params.some((param) => typeof param === 'object' && param !== null && 'blockHash' in param)
        ? { error: { code: -32602, message: 'invalid argument 1: cannot unmarshal object' } }
        : undefined,
  })
  const prover = createProver(access)
  expect((await prover.prove(view, plan)).simulation.method).toBe('eth_simulateV1')
  ground.counted()
  expect((await prover.prove(view, plan)).simulation.method).toBe('eth_simulateV1')
  expect(ground.counted()).toEqual({
    requests: 1,
    methods: ['eth_feeHistory', 'eth_getBlockByNumber', 'eth_simulateV1'],
  })

  // The same number is another block's by now.
  const stale = { ...view, asOf: { ...view.asOf, blockHash: `0x${'77'.repeat(32)}` as const } }
  await expect(prover.prove(stale, plan)).rejects.toBeInstanceOf(UnknownBlockError)

  const { transactionHash } = await ground.send(wallets.alice, { to: wallets.bob })
  const outcome = await createTransactions(access).transaction(await ground.view(), transactionHash, {
    from: wallets.alice,
    nonce: 0,
  })
  expect(outcome.status).toBe('success')
})
