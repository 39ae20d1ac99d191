import { FalseAllowanceToken } from '@remit/contracts/FalseAllowanceToken'
import { NoReturnToken } from '@remit/contracts/NoReturnToken'
import { approvedToken } from '@remit/testing/support/chain/approvedToken'
import { sendAsProven } from '@remit/testing/support/chain/sendAsProven'
import { planOf, useProvingGround } from '@remit/testing/support/chain/useProvingGround'
import { gasBudget } from '@remit/testing/support/nodes/gasBudget'
import type { Address } from 'viem'
import { describe, expect, it } from 'vitest'
import { SimulationFailedError } from '../errors/prepare.ts'
import type { PlannedCall, Proof } from '../ports/proof.ts'
import { RpcResponseError, UnknownBlockError } from '../rpc/refusal.ts'
import { createProver } from './prover.ts'

const ground = await useProvingGround()
const { access, wallets, node, tokens } = ground
const { usdc } = tokens
const USDC = 10n ** 6n
const alice = wallets.alice

/** Every request of a proof, in one HTTP request. */
const ONE_REQUEST = { requests: 1, methods: ['eth_feeHistory', 'eth_simulateV1'] }

async function prove(from: Address, ...batches: PlannedCall[][]): Promise<Proof> {
  return createProver(access).prove(await ground.view(), planOf(from, ...batches))
}

describe('a proof', () => {
  it('runs approve and subscribe from zero allowance as one state, in one HTTP request', async () => {
    const terms = await ground.subscription(usdc)
    const view = await ground.view()
    await view.read.token(usdc)
    ground.counted()
    const calls = [ground.approve(usdc, 100n * USDC), ground.subscribe(terms)]
    const proof = await createProver(access).prove(view, planOf(alice, calls))
    expect(ground.counted()).toEqual(ONE_REQUEST)
    expect(proof.calls).toEqual(calls)
    expect(proof.simulation).toMatchObject({
      success: true,
      method: 'eth_simulateV1',
      blockNumber: view.asOf.blockNumber,
    })
    expect(
      proof.simulation.calls.map(({ events }) =>
        events?.map(({ event, eventName, amount }) => [event, eventName, amount]),
      ),
    ).toEqual([
      [['Approval', undefined, '100']],
      [
        ['SubLog', 'Subscribed', '12'],
        ['SubLog', 'FeeFilled', '3'],
        ['Transfer', undefined, '3'],
        ['SubLog', 'ProviderPaid', '4.101369'],
        ['Transfer', undefined, '4.101369'],
      ],
    ])
    expect(
      proof.simulation.balanceChanges.map(({ account, token, amount }) => [account, token.symbol, amount]),
    ).toEqual([
      [alice, 'USDC', '-7.101369'],
      [ground.contract, 'USDC', '3'],
      [wallets.provider, 'USDC', '4.101369'],
    ])
    expect(proof.warnings).toEqual([])
    await sendAsProven(ground, alice, proof)
  })

  it('is what the chain then does, for every kind of call, with limits that suffice', async () => {
    const terms = await ground.subscription(usdc)
    const other = await ground.subscription(tokens.dai)
    await sendAsProven(
      ground,
      alice,
      await prove(alice, [ground.approve(usdc, 12n * USDC), ground.subscribe(terms)]),
    )
    await sendAsProven(
      ground,
      wallets.bob,
      await prove(wallets.bob, [ground.approve(usdc, 100n * USDC), ground.subscribe(terms)]),
    )
    await sendAsProven(
      ground,
      wallets.carol,
      await prove(wallets.carol, [ground.approve(tokens.dai, 10n ** 20n), ground.subscribe(other)]),
    )
    await ground.advanceDays(18)
    // Empty days, then a day with a payer and with one who is dropped for its allowance, which frees storage.
    const first = await prove(wallets.keeper, [ground.remit()])
    await sendAsProven(ground, wallets.keeper, first)
    expect(first.simulation.calls[0]?.events?.some(({ eventName }) => eventName === 'Failed')).toBe(true)
    await sendAsProven(ground, wallets.bob, await prove(wallets.bob, [ground.unsubscribe(terms)]))
    await sendAsProven(
      ground,
      wallets.provider,
      await prove(wallets.provider, [ground.cancelSubscription(other)]),
    )
  })

  it('stands in the next block, at the time of the chain’s clock', async () => {
    const terms = await ground.subscription(usdc)
    const view = await ground.view()
    const calls = [ground.approve(usdc, 12n * USDC), ground.subscribe(terms)]
    for (const later of [1, 40]) {
      const now = view.asOf.timestamp + later
      const { simulation } = await createProver(access).prove({ ...view, now }, planOf(alice, calls))
      const timestamp = simulation.calls[1]?.events?.[0]?.args.timestamp
      expect(timestamp).toBe(view.asOf.timestamp + later)
    }
  })

  it('is of the view’s block, whatever was mined since', async () => {
    const terms = await ground.subscription(usdc)
    const view = await ground.view()
    await sendAsProven(
      ground,
      alice,
      await prove(alice, [ground.approve(usdc, 12n * USDC), ground.subscribe(terms)]),
    )
    const again = planOf(alice, [ground.approve(usdc, 12n * USDC), ground.subscribe(terms)])
    expect((await createProver(access).prove(view, again)).simulation.blockNumber).toBe(view.asOf.blockNumber)
  })

  it('says that the view’s block is gone, so that its caller can use another', async () => {
    const view = await ground.view()
    const gone = { ...view, asOf: { ...view.asOf, blockHash: `0x${'77'.repeat(32)}` as const } }
    const plan = planOf(alice, [ground.approve(usdc, 1n)])
    await expect(createProver(access).prove(gone, plan)).rejects.toBeInstanceOf(UnknownBlockError)
  })

  it('names the call that reverts', async () => {
    const terms = await ground.subscription(usdc)
    const failing = prove(alice, [ground.approve(usdc, 1n), ground.subscribe(terms)])
    await expect(failing).rejects.toBeInstanceOf(SimulationFailedError)
    await expect(failing).rejects.toMatchObject({
      facts: {
        operation: 'test',
        reason: { protocolCode: '10', name: 'INSUFFICIENT_ALLOWANCE_OR_BALANCE', callIndex: 1 },
      },
    })
  })

  it('is never made without the fees', async () => {
    node.fail({
      answer: ({ method }) =>
        method === 'eth_feeHistory' ? { error: { code: -32000, message: 'busy' } } : undefined,
    })
    await expect(prove(alice, [ground.approve(usdc, 1n)])).rejects.toBeInstanceOf(RpcResponseError)
  })
})

describe('alternatives', () => {
  const batches = (token: Address, terms: Parameters<typeof ground.subscribe>[0]) => {
    const short = [ground.approve(token, 10n ** 20n), ground.subscribe(terms)]
    return [short, [ground.approve(token, 0n), ...short]]
  }

  it('are proven side by side: approve(0) goes first only if the token demands it', async () => {
    for (const [token, length] of [
      [ground.stubborn, 3],
      [tokens.dai, 2],
    ] as const) {
      const terms = await ground.subscription(token)
      await ground.send(alice, ground.approve(token, 5n))
      const view = await ground.view()
      await view.read.token(token)
      ground.counted()
      const proof = await createProver(access).prove(view, planOf(alice, ...batches(token, terms)))
      expect(ground.counted()).toEqual({
        requests: 1,
        methods: ['eth_feeHistory', 'eth_simulateV1', 'eth_simulateV1'],
      })
      expect(proof.calls).toHaveLength(length)
      expect(proof.gasEstimates).toHaveLength(length)
      await sendAsProven(ground, alice, proof)
    }
  })

  it('fail with the reason of the one that got furthest', async () => {
    const terms = await ground.subscription(ground.stubborn)
    await ground.send(alice, ground.approve(ground.stubborn, 5n))
    const short = [ground.approve(ground.stubborn, 7n), ground.subscribe(terms)]
    const failing = prove(alice, short, [ground.approve(ground.stubborn, 0n), ...short])
    await expect(failing).rejects.toMatchObject({ facts: { reason: { protocolCode: '10', callIndex: 2 } } })
  })
})

describe('an approval that the token answers with false', () => {
  it('has failed: approve(0) goes first', async () => {
    const token = await approvedToken(ground, FalseAllowanceToken)
    await ground.send(alice, ground.approve(token, 5n))
    const [raise, reset] = [ground.approve(token, 7n), ground.approve(token, 0n)]
    const { calls } = await prove(alice, [raise], [reset, raise])
    expect(calls).toEqual([reset, raise])
  })

  it('refuses a batch that has no other way, with a reason', async () => {
    const token = await approvedToken(ground, FalseAllowanceToken)
    await ground.send(alice, ground.approve(token, 5n))
    const failing = prove(alice, [ground.approve(usdc, 7n), ground.approve(token, 7n)])
    await expect(failing).rejects.toBeInstanceOf(SimulationFailedError)
    await expect(failing).rejects.toMatchObject({
      facts: { reason: { name: 'APPROVAL_REFUSED', callIndex: 1 } },
    })
  })

  it('is none where the token answers nothing', async () => {
    const token = await approvedToken(ground, NoReturnToken)
    const { simulation } = await prove(alice, [ground.approve(token, 7n)])
    expect(simulation.success).toBe(true)
  })
})

it('a batch is proven the same way on a node that grants little gas to a simulation', async () => {
  const plan = planOf(alice, [ground.approve(tokens.usdc, 5n), ground.approve(tokens.dai, 5n)])
  const view = await ground.view()
  const plain = await createProver(access).prove(view, plan)
  node.fail(gasBudget(2_000_000n))
  expect(await createProver(access).prove(view, plan)).toEqual(plain)
})
