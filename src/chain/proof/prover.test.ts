import { type Address, encodeFunctionData, erc20Abi } from 'viem'
import { describe, expect, it } from 'vitest'
import { FalseAllowanceToken } from '../../../contracts/generated/FalseAllowanceToken.ts'
import { NoReturnToken } from '../../../contracts/generated/NoReturnToken.ts'
import { Subscriptions } from '../../../contracts/generated/Subscriptions.ts'
import { approvedToken } from '../../../test/support/chain/approvedToken.ts'
import { planOf, useProvingGround } from '../../../test/support/chain/useProvingGround.ts'
import { gasBudget } from '../../../test/support/nodes/gasBudget.ts'
import type { PlannedCall, Proof } from '../../core/ports/proof.ts'
import { ViewFailedError } from '../../errors/chain.ts'
import { SimulationFailedError } from '../../errors/prepare.ts'
import { RpcResponseError, UnknownBlockError } from '../rpc/refusal.ts'
import { eventRows, resolveTokens } from './eventRows.ts'
import { GAS_PRICE_ORACLE } from './gasL1.ts'
import { createProver } from './prover.ts'

const ground = await useProvingGround()
const { access, client, wallets, node, tokens } = ground
const { usdc } = tokens
const USDC = 10n ** 6n
const alice = wallets.alice

/** Every request of a proof, in one HTTP request. */
const ONE_REQUEST = { requests: 1, methods: ['eth_feeHistory', 'eth_simulateV1'] }

async function prove(from: Address, ...batches: PlannedCall[][]): Promise<Proof> {
  return createProver(access).prove(await ground.view(), planOf(from, ...batches))
}

function call(
  functionName: 'unsubscribe' | 'cancelSubscription',
  terms: Parameters<typeof ground.subscribe>[0],
) {
  const data = encodeFunctionData({ abi: Subscriptions.abi, functionName, args: [terms] })
  return { to: ground.contract, data, value: 0n, instruction: functionName }
}

function balance(token: Address, owner: Address): Promise<bigint> {
  return client.readContract({ address: token, abi: erc20Abi, functionName: 'balanceOf', args: [owner] })
}

/** Sends a proof's calls, the first in the simulated block, and compares what the chain does with the proof. */
async function sendAsProven(from: Address, { calls, gasEstimates, simulation }: Proof): Promise<void> {
  const holders = simulation.balanceChanges.map(({ token, account }) => [token.address, account] as const)
  const before = await Promise.all(holders.map(([token, owner]) => balance(token, owner)))
  await client.setNextBlockTimestamp({ timestamp: BigInt((await ground.now()) + 1) })
  for (const [index, { to, data }] of calls.entries()) {
    const { gasLimit, maxFeePerGas, maxPriorityFeePerGas } = gasEstimates[index] ?? {}
    const hash = await client.sendTransaction({
      account: from,
      chain: null,
      to,
      data,
      gas: gasLimit,
      maxFeePerGas,
      maxPriorityFeePerGas,
    })
    const receipt = await client.waitForTransactionReceipt({ hash })
    expect(receipt.status).toBe('success')
    const known = await resolveTokens(await ground.view(), access.facts, [usdc, tokens.dai, ground.stubborn])
    const events = eventRows(receipt.logs, ground.contract, known)
    const simulated = simulation.calls[index]
    if (simulated?.events) expect(withoutTimes(simulated.events)).toEqual(withoutTimes(events))
    if (index === 0 && simulation.method === 'eth_simulateV1')
      expect(simulated?.gasUsed).toBe(receipt.gasUsed)
  }
  const after = await Promise.all(holders.map(([token, owner]) => balance(token, owner)))
  const changes = after.map((amount, index) => amount - (before[index] ?? 0n))
  expect(changes).toEqual(simulation.balanceChanges.map(({ amountRaw }) => amountRaw))
}

function withoutTimes(events: readonly { args: object }[]) {
  return events.map((event) => ({ ...event, args: { ...event.args, timestamp: undefined } }))
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
    await sendAsProven(alice, proof)
  })

  it('is what the chain then does, for every kind of call, with limits that suffice', async () => {
    const terms = await ground.subscription(usdc)
    const other = await ground.subscription(tokens.dai)
    await sendAsProven(alice, await prove(alice, [ground.approve(usdc, 12n * USDC), ground.subscribe(terms)]))
    await sendAsProven(
      wallets.bob,
      await prove(wallets.bob, [ground.approve(usdc, 100n * USDC), ground.subscribe(terms)]),
    )
    await sendAsProven(
      wallets.carol,
      await prove(wallets.carol, [ground.approve(tokens.dai, 10n ** 20n), ground.subscribe(other)]),
    )
    await ground.advanceDays(18)
    // Empty days, then a day with a payer and with one who is dropped for its allowance, which frees storage.
    const data = encodeFunctionData({ abi: Subscriptions.abi, functionName: 'remit' })
    const remit = { to: ground.contract, data, value: 0n, instruction: 'Remit.' }
    const first = await prove(wallets.keeper, [remit])
    await sendAsProven(wallets.keeper, first)
    expect(first.simulation.calls[0]?.events?.some(({ eventName }) => eventName === 'Failed')).toBe(true)
    await sendAsProven(wallets.bob, await prove(wallets.bob, [call('unsubscribe', terms)]))
    await sendAsProven(wallets.provider, await prove(wallets.provider, [call('cancelSubscription', other)]))
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
    await sendAsProven(alice, await prove(alice, [ground.approve(usdc, 12n * USDC), ground.subscribe(terms)]))
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
      await sendAsProven(alice, proof)
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
    const data = encodeFunctionData({ abi: Subscriptions.abi, functionName: 'remit' })
    const remit = { to: ground.contract, data, value: 0n, instruction: 'Remit.' }
    const view = await ground.view()
    const midnight = Math.ceil(view.now / 86_400) * 86_400
    const plan = { ...planOf(wallets.keeper, [remit]), simulateFromAddress: wallets.stranger }
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
    await ground.send(wallets.bob, call('unsubscribe', terms))
    const plan = { ...planOf(alice, [approve, ground.subscribe(terms)]), simulateFromAddress: wallets.bob }
    const proof = await createProver(access).prove(await ground.view(), plan)
    expect(proof.warnings).toEqual([])
    await sendAsProven(alice, proof)
  })
})

it('a batch is proven the same way on a node that grants little gas to a simulation', async () => {
  const plan = planOf(alice, [ground.approve(tokens.usdc, 5n), ground.approve(tokens.dai, 5n)])
  const view = await ground.view()
  const plain = await createProver(access).prove(view, plan)
  node.fail(gasBudget(2_000_000n))
  expect(await createProver(access).prove(view, plan)).toEqual(plain)
})
