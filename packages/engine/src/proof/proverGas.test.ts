import { sendAsProven } from '@remit/testing/support/chain/sendAsProven'
import { planOf, useProvingGround } from '@remit/testing/support/chain/useProvingGround'
import { WALL_OF_TEST_CHAINS } from '@remit/testing/support/service/wallOfTestChains'
import type { Address } from 'viem'
import { describe, expect, it } from 'vitest'
import { Chains } from '../chain/Chains.ts'
import { ChainEntry } from '../chain/registry.ts'
import { ViewFailedError } from '../errors/chain.ts'
import { GAS_PRICE_ORACLE } from './gasL1.ts'
import { createProver } from './prover.ts'

const ground = await useProvingGround()
const { access, client, wallets, tokens, chainId } = ground
const { usdc } = tokens
const USDC = 10n ** 6n
const alice = wallets.alice

describe('gas', () => {
  it('may be more than the wallet can pay: the proof holds, and a warning says how much it takes', async () => {
    const poor: Address = '0x00000000000000000000000000000000000000Aa'
    const plan = { ...planOf(poor, [ground.approve(usdc, 1n)]), nativeBalance: 5n }
    const { simulation, warnings, gasEstimates } = await createProver(access).prove(await ground.view(), plan)
    expect(simulation.success).toBe(true)
    const [{ gasLimit = 0n, maxFeePerGas = 0n } = {}] = gasEstimates
    const requiredWei = (gasLimit * maxFeePerGas).toString()
    expect(warnings).toMatchObject([{ code: 'INSUFFICIENT_GAS_FUNDS', balanceWei: '5', requiredWei }])
  })

  it('is summed up over a backlog', async () => {
    const plan = { ...planOf(alice, [ground.approve(usdc, 1n)]), backlogMultiplier: 3 }
    const { gasSummary } = await createProver(access).prove(await ground.view(), plan)
    expect(gasSummary.totalBacklogEstimatedCostWei).toBe(gasSummary.totalEstimatedCostWei * 3n)
  })

  it('includes the fee for the data on L1 where the chain is built on another', async () => {
    // Charges one wei for each byte.
    await client.setCode({ address: GAS_PRICE_ORACLE, bytecode: '0x365f5260205ff3' })
    const rollup = createProver({ ...access, entry: { ...access.entry, opStack: true } })
    const approve = ground.approve(usdc, 1n)
    const view = await ground.view()
    await view.read.token(usdc)
    ground.counted()
    const { gasEstimates } = await rollup.prove(view, planOf(alice, [approve]))
    expect(ground.counted()).toEqual({
      requests: 1,
      methods: ['eth_call', 'eth_feeHistory', 'eth_simulateV1'],
    })
    const [estimate] = gasEstimates
    const l1DataFeeWei = estimate?.l1DataFeeWei ?? 0n
    // A transaction has 68 bytes of calldata, an address, and a few short fields.
    expect(Number(l1DataFeeWei)).toBeGreaterThan(68 + 20 + 15)
    const { maxPriorityFeePerGas = 0n, maxFeePerGas = 0n, gasLimit = 0n, estimatedCostWei } = estimate ?? {}
    const price = (maxFeePerGas - maxPriorityFeePerGas) / 2n + maxPriorityFeePerGas
    expect(estimatedCostWei).toBe(gasLimit * price + l1DataFeeWei)
  })

  it('never leaves out that fee where its oracle cannot be read', async () => {
    const rollup = createProver({ ...access, entry: { ...access.entry, opStack: true } })
    const plan = planOf(alice, [ground.approve(usdc, 1n)])
    await expect(rollup.prove(await ground.view(), plan)).rejects.toBeInstanceOf(ViewFailedError)
  })

  it('is estimated from another broadcaster that needs more, and proven where the call reverts from there', async () => {
    const terms = await ground.subscription(usdc)
    await ground.send(alice, ground.approve(usdc, 5n))
    const view = await ground.view()
    await view.read.token(usdc)
    ground.counted()
    const plan = {
      ...planOf(alice, [ground.approve(usdc, 12n * USDC), ground.subscribe(terms)]),
      simulateFromAddress: wallets.stranger,
    }
    const { gasEstimates, warnings } = await createProver(access).prove(view, plan)
    expect(ground.counted().requests).toBe(1)
    expect(gasEstimates.map(({ source }) => source)).toEqual(['estimated', 'simulated'])
    expect(warnings).toMatchObject([{ code: 'ESTIMATE_ADDRESS_REVERTS', callIndexes: [1] }])
  })

  it('is estimated in the next block: the head may still be of the day before', async () => {
    const terms = await ground.subscription(usdc, { dueDay: 3 })
    for (const sent of [ground.approve(usdc, 100n * USDC), ground.subscribe(terms)]) {
      await ground.send(wallets.bob, sent)
    }
    const view = await ground.view()
    const midnight = Math.ceil(view.now / 86_400) * 86_400
    const plan = { ...planOf(wallets.keeper, [ground.remit()]), simulateFromAddress: wallets.stranger }
    const { warnings } = await createProver(access).prove({ ...view, now: midnight + 5 }, plan)
    expect(warnings).toEqual([])
  })

  it('is estimated for calls that build on each other', async () => {
    const terms = await ground.subscription(usdc)
    const plan = planOf(alice, [ground.approve(usdc, 100n * USDC), ground.subscribe(terms)])
    const proof = await createProver(access).prove(await ground.view(), {
      ...plan,
      simulateFromAddress: wallets.bob,
    })
    expect(proof.gasEstimates.map(({ source }) => source)).toEqual(['estimated', 'estimated'])
    expect(proof.warnings).toEqual([])
  })

  it('suffices for the signer, also where it is estimated from an address that needs less', async () => {
    const terms = await ground.subscription(usdc)
    const approve = ground.approve(usdc, 100n * USDC)
    for (const wallet of [wallets.bob, wallets.carol]) {
      for (const sent of [approve, ground.subscribe(terms)]) await ground.send(wallet, sent)
    }
    // Bob’s slots in the contract stay filled when he leaves.
    await ground.send(wallets.bob, ground.unsubscribe(terms))
    const plan = { ...planOf(alice, [approve, ground.subscribe(terms)]), simulateFromAddress: wallets.bob }
    const proof = await createProver(access).prove(await ground.view(), plan)
    expect(proof.warnings).toEqual([])
    await sendAsProven(ground, alice, proof)
  })
})

it('a batch costs one HTTP request to read and one to prove, its outcome two, and none on the same head', async () => {
  const terms = await ground.subscription(usdc)
  const entry = ChainEntry.parse({
    chainId,
    name: 'Test',
    contractAddress: ground.contract,
    rpcUrls: [ground.node.url],
    // Polls of the head are not what is counted here.
    pollMs: 60_000,
  })
  const log = { info() {}, warn() {}, error() {} }
  const costs = async <T>(work: Promise<T>) => [await work, ground.counted().requests] as const

  const chains = new Chains({ entries: [entry], defaultChainId: chainId, log, wallNow: WALL_OF_TEST_CHAINS })
  const proof = await chains.withView(chainId, {}, async (view) => {
    ground.counted()
    const [state, read] = await costs(view.read.membershipState(terms.id, wallets.alice, wallets.alice))
    const calls = [ground.approve(usdc, 10n ** 8n), ground.subscribe(state.terms)]
    const [proof, proven] = await costs(view.prove(planOf(wallets.alice, calls)))
    expect([read, proven]).toEqual([1, 1])
    return proof
  })
  expect(proof.simulation.balanceChanges[0]?.token).toMatchObject({ symbol: 'USDC', decimals: 6 })

  let last = `0x` as `0x${string}`
  for (const [index, call] of proof.calls.entries()) {
    const gas = proof.gasEstimates[index]?.gasLimit ?? 0n
    last = (await ground.send(wallets.alice, { ...call, gas })).transactionHash
  }
  await ground.send(wallets.bob, { to: wallets.carol })
  // A process that has not read the token yet.
  const others = new Chains({ entries: [entry], defaultChainId: chainId, log, wallNow: WALL_OF_TEST_CHAINS })
  await others.withView(chainId, {}, async (view) => {
    ground.counted()
    const [outcome, cold] = await costs(view.transaction(last, {}))
    const [again, warm] = await costs(view.transaction(last, {}))
    expect([cold, warm]).toEqual([2, 0])
    expect(again).toEqual(outcome)
    expect(outcome).toMatchObject({ status: 'success', confirmations: 2 })
    expect(outcome.events[0]).toMatchObject({ eventName: 'Subscribed', amount: '12', tokenDecimals: 6 })
  })
})
