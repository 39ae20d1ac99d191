import { useProvingGround } from '@remit/testing/support/chain/useProvingGround'
import { encodeLog } from '@remit/testing/support/models/encodeLog'
import { type Address, encodeErrorResult, getAddress, parseAbi, zeroAddress } from 'viem'
import { describe, expect, it } from 'vitest'
import type { PlannedCall } from '../ports/proof.ts'
import { revertReason } from './callFailure.ts'
import { transferDeltas } from './simulateBatches.ts'
import { executeBatches } from './simulateExecutor.ts'
import type { WatchedBalances } from './simulateWatched.ts'

const ground = await useProvingGround()
const { access, client, wallets, tokens } = ground
const { alice, bob } = wallets
const HOSTILE: Address = '0x00000000000000000000000000000000000bad00'

async function execute(calls: PlannedCall[], watched: WatchedBalances = { tokens: [], accounts: [] }) {
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

const USDC = getAddress('0x00000000000000000000000000000000000000c1')
const DAI = getAddress('0x00000000000000000000000000000000000000c2')
const ALICE = getAddress('0x00000000000000000000000000000000000000a1')
const BOB = getAddress('0x00000000000000000000000000000000000000b2')

const transfer = (token: Address, from: Address, to: Address, value: bigint) =>
  encodeLog(token, 'Transfer', { from, to, value })

describe('balance changes', () => {
  it('are exact sums per account and token', () => {
    const most = 2n ** 255n
    expect(
      transferDeltas([
        transfer(USDC, ALICE, BOB, most),
        transfer(DAI, ALICE, BOB, 7n),
        transfer(USDC, ALICE, BOB, 1n),
      ]),
    ).toEqual([
      { account: ALICE, token: USDC, delta: -most - 1n },
      { account: BOB, token: USDC, delta: most + 1n },
      { account: ALICE, token: DAI, delta: -7n },
      { account: BOB, token: DAI, delta: 7n },
    ])
  })

  it('leave out sums of zero, transfers to oneself, and the zero address', () => {
    expect(
      transferDeltas([
        transfer(USDC, ALICE, BOB, 5n),
        transfer(USDC, BOB, ALICE, 5n),
        transfer(USDC, ALICE, ALICE, 9n),
        transfer(DAI, zeroAddress, BOB, 3n),
      ]),
    ).toEqual([{ account: BOB, token: DAI, delta: 3n }])
  })

  it('ignore logs that are no transfers', () => {
    expect(transferDeltas([{ ...transfer(USDC, ALICE, BOB, 5n), data: '0x' }])).toEqual([])
  })
})

const abi = parseAbi(['error Error(string reason)'])
const notDue = encodeErrorResult({ abi, args: ['6'] })

describe('the reason', () => {
  it('is the protocol’s if it is one', () => {
    expect(revertReason({ data: notDue, ranOutOfGas: false })).toMatchObject({
      protocolCode: '6',
      name: 'REMIT_NOT_DUE',
    })
  })

  it('keeps the raw data where it cannot be read', () => {
    expect(revertReason({ data: '0xdeadbeef01', ranOutOfGas: false })).toMatchObject({
      name: 'UNKNOWN_REVERT',
      data: '0xdeadbeef01',
    })
  })

  it('says so if there is none, or if the gas ran out', () => {
    expect(revertReason({ data: '0x', ranOutOfGas: false })).toMatchObject({ name: 'EMPTY_REVERT' })
    expect(revertReason({ data: '0x', ranOutOfGas: true })).toMatchObject({ name: 'OUT_OF_GAS' })
  })
})
