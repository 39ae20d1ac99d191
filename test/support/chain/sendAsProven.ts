import type { Proof } from '@remit/engine/ports/proof'
import { eventRows, resolveTokens } from '@remit/engine/testing/proof/eventRows'
import { type Address, erc20Abi } from 'viem'
import { expect } from 'vitest'
import type { ProvingGround } from './useProvingGround.ts'

/** Sends a proof's calls, the first in the simulated block, and compares what the chain does with the proof. */
export async function sendAsProven(
  ground: ProvingGround,
  from: Address,
  { calls, gasEstimates, simulation }: Proof,
): Promise<void> {
  const { access, client, tokens } = ground
  const balances = () =>
    Promise.all(
      simulation.balanceChanges.map(({ token, account }) =>
        client.readContract({
          address: token.address,
          abi: erc20Abi,
          functionName: 'balanceOf',
          args: [account],
        }),
      ),
    )
  const before = await balances()
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
    const known = await resolveTokens(await ground.view(), access.facts, [
      tokens.usdc,
      tokens.dai,
      ground.stubborn,
    ])
    const events = eventRows(receipt.logs, ground.contract, known)
    const simulated = simulation.calls[index]
    if (simulated?.events) expect(withoutTimes(simulated.events)).toEqual(withoutTimes(events))
    if (index === 0 && simulation.method === 'eth_simulateV1')
      expect(simulated?.gasUsed).toBe(receipt.gasUsed)
  }
  const after = await balances()
  const changes = after.map((amount, index) => amount - (before[index] ?? 0n))
  expect(changes).toEqual(simulation.balanceChanges.map(({ amountRaw }) => amountRaw))
}

function withoutTimes(events: readonly { args: object }[]) {
  return events.map((event) => ({ ...event, args: { ...event.args, timestamp: undefined } }))
}
