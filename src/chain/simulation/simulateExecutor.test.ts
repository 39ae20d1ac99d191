import type { Address } from 'viem'
import { expect, it } from 'vitest'
import { useProvingGround } from '../../../test/support/chain/useProvingGround.ts'
import type { PlannedCall } from '../../core/ports/proof.ts'
import { executeBatches } from './simulateExecutor.ts'
import type { Watched } from './simulateWatched.ts'

const ground = await useProvingGround()
const { access, client, wallets, tokens } = ground
const { alice, bob } = wallets
const HOSTILE: Address = '0x00000000000000000000000000000000000bad00'

async function execute(calls: PlannedCall[], watched: Watched = { tokens: [], accounts: [] }) {
  const view = await ground.view()
  const runs = await executeBatches(access.blocks, view, { from: alice, batches: [calls] }, watched)
  return runs?.[0]
}

const poke: PlannedCall = { to: HOSTILE, data: '0x', value: 0n, instruction: 'Poke it.' }

it('cuts the revert data of a hostile contract', async () => {
  // Reverts with a megabyte.
  await client.setCode({ address: HOSTILE, bytecode: '0x621000005ffd' })
  const run = await execute([ground.approve(tokens.usdc, 1n), poke, ground.approve(tokens.usdc, 2n)])
  expect(run).toMatchObject({ ok: false, callIndex: 1 })
  expect(run?.ok === false && run.failure.data.length).toBe(2 + 2 * 4096)
})

it('states no change of a balance that cannot be read', async () => {
  // A token that answers nothing, and one that burns all of its gas.
  for (const bytecode of ['0x00', '0x5b5f56'] as const) {
    await client.setCode({ address: HOSTILE, bytecode })
    const run = await execute([ground.approve(tokens.usdc, 1n)], {
      tokens: [HOSTILE],
      accounts: [alice, bob],
    })
    expect(run).toMatchObject({ ok: true, deltas: [] })
  }
})

it('sends from the wallet, value too', async () => {
  // Reverts unless the sender is alice: caller, push20 alice, xor, then revert of nothing where it differs.
  const code = `0x3373${alice.slice(2)}18601d575f5ff35b5f5ffd` as const
  await client.setCode({ address: HOSTILE, bytecode: code })
  const run = await execute([{ ...poke, value: 10n ** 18n }])
  expect(run).toMatchObject({ ok: true, calls: [{ success: true }] })
})
