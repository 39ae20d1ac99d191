import { FalseAllowanceToken } from '@remit/contracts/FalseAllowanceToken'
import { NoReturnToken } from '@remit/contracts/NoReturnToken'
import { UsdcLikeToken } from '@remit/contracts/UsdcLikeToken'
import { approvedToken } from '@remit/testing/support/chain/approvedToken'
import { sendAsProven } from '@remit/testing/support/chain/sendAsProven'
import { planOf, useProvingGround } from '@remit/testing/support/chain/useProvingGround'
import { silentLog } from '@remit/testing/support/chain/useReadingGround'
import type { Faults } from '@remit/testing/support/nodes/countingProxy'
import { signedPermit } from '@remit/testing/support/wallets/signedPermit'
import { signerOf } from '@remit/testing/support/wallets/signerOf'
import { type Address, encodeFunctionData, parseSignature } from 'viem'
import { describe, expect, it } from 'vitest'
import { BlockReader } from '../block/BlockReader.ts'
import type { BlockView } from '../block/BlockView.ts'
import { SimulationFailedError } from '../errors/prepare.ts'
import type { PlannedCall, PreparePlan, Proof } from '../ports/proof.ts'
import { NodeLimits } from '../rpc/limits/NodeLimits.ts'
import { HEURISTIC_GAS } from '../simulation/simulatePartial.ts'
import { createProver } from './prover.ts'

const ground = await useProvingGround()
const { access, client, wallets, node, tokens } = ground
const { usdc } = tokens
const { alice, bob } = wallets
const USDC = 10n ** 6n

type Rule = NonNullable<Faults['answer']>

const lacksSimulate: Rule = ({ method }) =>
  method === 'eth_simulateV1'
    ? { error: { code: -32601, message: 'the method eth_simulateV1 does not exist/is not available' } }
    : undefined

/** Lacks the method, and does not take overrides in an eth_call either. */
const refusesOverrides: Rule = (call) =>
  call.method === 'eth_call' && call.params.length > 2
    ? { error: { code: -32602, message: 'too many arguments, want at most 2' } }
    : lacksSimulate(call)

const ignoresOverrides: Rule = (call) =>
  call.method === 'eth_call' && call.params.length > 2 ? { result: '0x' } : lacksSimulate(call)

async function prove(plan: PreparePlan, view?: BlockView): Promise<Proof> {
  return createProver(access).prove(view ?? (await ground.view()), plan)
}

async function subscribePlan(wallet = alice): Promise<PreparePlan> {
  const terms = await ground.subscription(usdc)
  return planOf(wallet, [ground.approve(usdc, 100n * USDC), ground.subscribe(terms)])
}

describe('a node without eth_simulateV1', () => {
  it('proves the batch as one state by the executor, with the same balance changes', async () => {
    const plan = await subscribePlan()
    const simulated = await prove(plan)
    node.fail({ answer: lacksSimulate })
    const { simulation, warnings, ...proof } = await prove(plan)
    expect(simulation.method).toBe('eth_call')
    expect(simulation.balanceChanges).toEqual(simulated.simulation.balanceChanges)
    expect(simulation.calls.map(({ success, events }) => [success, events])).toEqual([
      [true, null],
      [true, null],
    ])
    for (const [index, { gasUsed }] of simulation.calls.entries()) {
      const difference = Number(gasUsed) - Number(simulated.simulation.calls[index]?.gasUsed)
      expect(Math.abs(difference)).toBeLessThan(30_000)
    }
    expect(proof.gasEstimates.map(({ source }) => source)).toEqual(['simulated', 'simulated'])
    expect(warnings).toMatchObject([{ code: 'SIMULATION_PARTIAL', gap: 'events' }])
    await sendAsProven(ground, alice, { simulation, warnings, ...proof })
  })

  it('proves a signature of the wallet’s own, which tokens take for a contract’s behind the executor', async () => {
    const place = { client, chainId: await client.getChainId(), contract: access.entry.contractAddress }
    const { value, deadline, signature } = await signedPermit(place, {
      token: usdc,
      signer: signerOf(3),
      value: 5n,
    })
    const { v, r, s } = parseSignature(signature)
    const permitOf = (amount: bigint) => ({
      to: usdc,
      data: encodeFunctionData({
        abi: UsdcLikeToken.abi,
        functionName: 'permit',
        args: [alice, place.contract, amount, BigInt(deadline), Number(v), r, s],
      }),
      value: 0n,
      instruction: 'Permit',
    })
    node.fail({ answer: lacksSimulate })
    const { simulation } = await prove(planOf(alice, [permitOf(BigInt(value))]))
    expect(simulation).toMatchObject({ method: 'partial', calls: [{ success: true }] })
    await expect(prove(planOf(alice, [permitOf(6n)]))).rejects.toThrow(SimulationFailedError)
  })

  it('estimates the calls one by one from another broadcaster', async () => {
    const plan = { ...(await subscribePlan()), simulateFromAddress: bob }
    await ground.send(alice, ground.approve(usdc, 5n))
    node.fail({ answer: lacksSimulate })
    const view = await ground.view()
    ground.counted()
    const { gasEstimates, warnings } = await prove(plan, view)
    expect(ground.counted().requests).toBe(2)
    expect(gasEstimates.map(({ source }) => source)).toEqual(['estimated', 'simulated'])
    expect(warnings).toMatchObject([
      { code: 'SIMULATION_PARTIAL', gap: 'events' },
      { code: 'ESTIMATE_ADDRESS_REVERTS', callIndexes: [1] },
    ])
  })

  it('is asked for it once, and again only after ten minutes', async () => {
    const plan = await subscribePlan()
    const view = await ground.view()
    await view.read.token(usdc)
    let now = 0
    const limits = new NodeLimits({ now: () => now })
    const blocks = new BlockReader({ rpc: access.rpc, log: silentLog, limits: () => limits })
    const prover = createProver({ ...access, blocks })
    node.fail({ answer: lacksSimulate })
    ground.counted()
    const asked = async () => {
      const { simulation } = await prover.prove(view, plan)
      const { requests, methods } = ground.counted()
      return [simulation.method, requests, methods.includes('eth_simulateV1')]
    }
    expect(await asked()).toEqual(['eth_call', 2, true])
    expect(await asked()).toEqual(['eth_call', 1, false])
    node.fail({})
    expect(await asked()).toEqual(['eth_call', 1, false])
    now = 600_001
    expect(await asked()).toEqual(['eth_simulateV1', 1, true])
  })

  it('is asked for it again if it refused only one request', async () => {
    const plan = await subscribePlan()
    const view = await ground.view()
    const prover = createProver(access)
    node.fail({
      answer: ({ method }) =>
        method === 'eth_simulateV1'
          ? { error: { code: -38026, message: 'client limit exceeded' } }
          : undefined,
    })
    expect((await prover.prove(view, plan)).simulation.method).toBe('eth_call')
    node.fail({})
    expect((await prover.prove(view, plan)).simulation.method).toBe('eth_simulateV1')
  })

  it('names the reason and the call of the batch that got furthest', async () => {
    node.fail({ answer: lacksSimulate })
    const terms = await ground.subscription(usdc)
    const failing = prove(planOf(alice, [ground.approve(usdc, 5n), ground.subscribe(terms)]))
    await expect(failing).rejects.toBeInstanceOf(SimulationFailedError)
    await expect(failing).rejects.toMatchObject({ facts: { reason: { protocolCode: '10', callIndex: 1 } } })
  })

  it('puts approve(0) first if the token demands it', async () => {
    node.fail({ answer: lacksSimulate })
    const terms = await ground.subscription(ground.stubborn)
    await ground.send(alice, ground.approve(ground.stubborn, 5n))
    const short = [ground.approve(ground.stubborn, 10n ** 20n), ground.subscribe(terms)]
    const proof = await prove(planOf(alice, short, [ground.approve(ground.stubborn, 0n), ...short]))
    expect(proof.calls).toHaveLength(3)
    await sendAsProven(ground, alice, proof)
  })

  it('finds the balance changes of a remit by the backlog that was read for it', async () => {
    const terms = await ground.subscription(usdc, { dueDay: 3 })
    await sendAsProven(
      ground,
      bob,
      await prove(planOf(bob, [ground.approve(usdc, 100n * USDC), ground.subscribe(terms)])),
    )
    await ground.advanceDays(1)
    const plan = planOf(wallets.keeper, [ground.remit()])
    const simulated = await prove(plan)
    expect(simulated.simulation.balanceChanges.length).toBeGreaterThan(1)
    node.fail({ answer: lacksSimulate })
    const subscribers = [{ subscriber: bob, feeBalance: 0n }]
    const view = await ground.view(async () => ({
      admin: wallets.admin,
      lists: [{ entries: [{ terms, subscribers }] }],
      wallets: [],
    }))
    const { simulation } = await prove(plan, view)
    expect(simulation.method).toBe('eth_call')
    const byAccount = (changes: Proof['simulation']['balanceChanges']) =>
      changes.map(({ account, amount }) => `${account} ${amount}`).toSorted()
    expect(byAccount(simulation.balanceChanges)).toEqual(byAccount(simulated.simulation.balanceChanges))
  })
})

describe('the system’s part of a remit’s fees, where logs cannot be seen', () => {
  const remit = async (receiver: Address) => {
    const terms = await ground.subscription(usdc, { dueDay: 3 })
    await sendAsProven(
      ground,
      bob,
      await prove(planOf(bob, [ground.approve(usdc, 100n * USDC), ground.subscribe(terms)])),
    )
    await ground.protocol.send(wallets.admin, 'systemFeeActivate', [true])
    if (receiver !== wallets.admin)
      await ground.protocol.send(wallets.admin, 'changeSysFeeReceiver', [receiver])
    await ground.advanceDays(1)
    const plan = planOf(wallets.keeper, [ground.remit()])
    const simulated = await prove(plan)
    node.fail({ answer: lacksSimulate })
    const entries = [{ terms, subscribers: [{ subscriber: bob, feeBalance: 0n }] }]
    const view = await ground.view(async () => ({ admin: wallets.admin, lists: [{ entries }], wallets: [] }))
    const gained = ({ simulation }: Proof) =>
      simulation.balanceChanges.find(({ account }) => account === receiver)?.amountRaw
    const executed = await prove(plan, view)
    return { truth: gained(simulated), seen: gained(executed), warnings: executed.warnings }
  }

  it('is found if the admin receives it', async () => {
    const { truth, seen, warnings } = await remit(wallets.admin)
    expect(truth).toBeGreaterThan(0n)
    expect(seen).toBe(truth)
    expect(warnings).toMatchObject([{ code: 'SIMULATION_PARTIAL', gap: 'events' }])
  })

  it('is reported as missing if no view names the receiver', async () => {
    const { truth, seen, warnings } = await remit(wallets.stranger)
    expect(truth).toBeGreaterThan(0n)
    expect(seen).toBeUndefined()
    expect(warnings).toMatchObject([
      { code: 'SIMULATION_PARTIAL', gap: 'events' },
      {
        code: 'SIMULATION_PARTIAL',
        gap: 'balanceChanges',
        missing: [{ token: usdc, amountRaw: `${truth}` }],
      },
    ])
  })
})

it('a wallet that has delegated its account to a contract (EIP-7702) is proven like any other', async () => {
  const plan = await subscribePlan()
  node.fail({ answer: lacksSimulate })
  const asOthers = await prove(plan)
  const delegate = `0x${'11'.repeat(20)}` as const
  // What it does with tokens that come in, or with gas, is none of the batch.
  await client.setCode({ address: delegate, bytecode: '0x5f5ffd' })
  await client.setCode({ address: alice, bytecode: `0xef0100${'11'.repeat(20)}` })
  await client.mine({ blocks: 1 })
  const proof = await prove(plan)
  expect(proof.simulation).toMatchObject({
    method: 'eth_call',
    calls: [{ success: true }, { success: true }],
  })
  expect(proof.simulation.balanceChanges).toEqual(asOthers.simulation.balanceChanges)
  expect(proof.simulation.balanceChanges).not.toEqual([])
  await sendAsProven(ground, alice, proof)
})

describe('where no batch can be run as one state', () => {
  const rules: [string, Rule, boolean][] = [
    ['the account is a contract', lacksSimulate, true],
    ['the node refuses overrides', refusesOverrides, false],
    ['the node passes over overrides', ignoresOverrides, false],
  ]

  it.each(rules)(
    'each call is run by itself, and what was not proven is said: %s',
    async (_, rule, hasCode) => {
      const plan = await subscribePlan()
      if (hasCode) await client.setCode({ address: alice, bytecode: '0x00' })
      node.fail({ answer: rule })
      ground.counted()
      const { calls, simulation, gasEstimates, warnings } = await prove(plan)
      expect(ground.counted().requests).toBe(2)
      expect(calls).toHaveLength(2)
      expect(simulation).toMatchObject({
        method: 'partial',
        calls: [
          { success: true, events: null },
          { success: false, gasUsed: 0n, events: null },
        ],
        balanceChanges: [],
      })
      expect(gasEstimates.map(({ source }) => source)).toEqual(['estimated', 'heuristic'])
      expect(gasEstimates[1]?.gasLimit).toBeGreaterThan(HEURISTIC_GAS)
      expect(warnings).toMatchObject([
        { code: 'SIMULATION_PARTIAL', callIndexes: [1] },
        { code: 'GAS_HEURISTIC', callIndexes: [1] },
      ])
    },
  )

  it('the limits suffice all the same', async () => {
    const plan = await subscribePlan()
    node.fail({ answer: refusesOverrides })
    await sendAsProven(ground, alice, await prove(plan))
  })

  it('a first call that reverts is the batch’s revert', async () => {
    const terms = await ground.subscription(usdc)
    node.fail({ answer: refusesOverrides })
    const failing = prove(planOf(alice, [ground.subscribe(terms)]))
    await expect(failing).rejects.toMatchObject({ facts: { reason: { protocolCode: '10', callIndex: 0 } } })
  })

  it('puts approve(0) first if the token demands it', async () => {
    const terms = await ground.subscription(ground.stubborn)
    await ground.send(alice, ground.approve(ground.stubborn, 5n))
    node.fail({ answer: refusesOverrides })
    const short: PlannedCall[] = [ground.approve(ground.stubborn, 10n ** 20n), ground.subscribe(terms)]
    const { calls } = await prove(planOf(alice, short, [ground.approve(ground.stubborn, 0n), ...short]))
    expect(calls).toHaveLength(3)
  })
})

describe.each([
  ['eth_call', lacksSimulate],
  ['partial', refusesOverrides],
] as const)('an approval by %s', (method, answer) => {
  it('has failed if the token answers false', async () => {
    const token = await approvedToken(ground, FalseAllowanceToken)
    await ground.send(alice, ground.approve(token, 5n))
    const [raise, reset] = [ground.approve(token, 7n), ground.approve(token, 0n)]
    node.fail({ answer })
    const { calls, simulation } = await prove(planOf(alice, [raise], [reset, raise]))
    expect(simulation.method).toBe(method)
    expect(calls).toEqual([reset, raise])
    await expect(prove(planOf(alice, [raise, reset]))).rejects.toMatchObject({
      facts: { reason: { name: 'APPROVAL_REFUSED', callIndex: 0 } },
    })
  })

  it('has succeeded if the token answers nothing', async () => {
    const token = await approvedToken(ground, NoReturnToken)
    node.fail({ answer })
    const { simulation } = await prove(planOf(alice, [ground.approve(token, 7n)]))
    expect(simulation.calls).toMatchObject([{ success: true }])
  })
})
