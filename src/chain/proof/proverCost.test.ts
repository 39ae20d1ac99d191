import { expect, it } from 'vitest'
import { planOf, useProvingGround } from '../../../test/support/chain/useProvingGround.ts'
import { WALL_OF_TEST_CHAINS } from '../../../test/support/service/wallOfTestChains.ts'
import { Chains } from '../Chains.ts'
import { ChainEntry } from '../registry.ts'

const ground = await useProvingGround()
const { chainId, wallets, tokens } = ground
const { usdc } = tokens

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
