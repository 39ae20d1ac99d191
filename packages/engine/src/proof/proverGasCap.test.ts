import { planOf, useProvingGround } from '@remit/testing/support/chain/useProvingGround'
import type { Faults } from '@remit/testing/support/nodes/countingProxy'
import { type Address, type Hex, numberToHex } from 'viem'
import { describe, expect, it } from 'vitest'
import { NotReadyError } from '../errors/prepare.ts'
import { createProver } from './prover.ts'

const ground = await useProvingGround()
const { access, client, wallets, node, tokens } = ground
const { alice } = wallets
const BURNER: Address = '0x000000000000000000000000000000000000b004'
const CAP = 2n ** 24n

type Rule = NonNullable<Faults['answer']>

const lacksSimulate: Rule = ({ method }) =>
  method === 'eth_simulateV1' ? { error: { code: -32601, message: 'the method does not exist' } } : undefined
const lacksOverrides: Rule = (call) =>
  call.method === 'eth_call' && call.params.length > 2
    ? { error: { code: -32602, message: 'too many arguments' } }
    : lacksSimulate(call)

/** Has a contract use up so much gas, and do nothing else. */
async function burn(gas: number) {
  // Loops while the gas left at first, less what is left now, is below the figure.
  const bytecode: Hex = `0x5a5b805a900363${numberToHex(gas, { size: 4 }).slice(2)}1160015700`
  await client.setCode({ address: BURNER, bytecode })
  return { to: BURNER, data: '0x', value: 0n, instruction: 'Burn gas.' } as const
}

async function prove(calls: Parameters<typeof planOf>[1], txGasCap: number | 'none' = Number(CAP)) {
  const prover = createProver({ ...access, entry: { ...access.entry, txGasCap } })
  return prover.prove(await ground.view(), { ...planOf(alice, calls), gasWayOut: 'Ask the admin.' })
}

describe.each([
  ['eth_simulateV1', undefined],
  ['eth_call', lacksSimulate],
  ['partial', lacksOverrides],
] as const)('by %s', (method, answer) => {
  const fail = () => node.fail(answer === undefined ? {} : { answer })

  it('a call that succeeds with just the cap is answered with that', async () => {
    const call = await burn(16_500_000)
    fail()
    const { gasEstimates, simulation } = await prove([call])
    expect(simulation.method).toBe(method)
    expect(gasEstimates).toMatchObject([{ gasLimit: CAP }])
  })

  it('one that needs more is a named error, with what it needs', async () => {
    const call = await burn(20_000_000)
    fail()
    const refused = await prove([call]).catch((error: unknown) => error)
    if (!(refused instanceof NotReadyError)) throw refused
    const [issue] = refused.issues ?? []
    expect(issue).toMatchObject({ code: 'TRANSACTION_GAS_CAP', gasCap: `${CAP}`, callIndex: 0 })
    expect(issue?.message).toContain('Ask the admin.')
    expect(BigInt(String(issue?.gasNeeded))).toBeGreaterThan(20_000_000n)
  })
})

it('a call in the middle of a batch has all of the cap for itself', async () => {
  const call = await burn(16_500_000)
  const approve = ground.approve(tokens.usdc, 1n)
  const { gasEstimates } = await prove([approve, call, approve])
  expect(gasEstimates[1]?.gasLimit).toBe(CAP)
})

it('without a cap on the chain there is none', async () => {
  const { gasEstimates } = await prove([await burn(20_000_000)], 'none')
  expect(gasEstimates[0]?.gasLimit).toBeGreaterThan(20_000_000n)
})
