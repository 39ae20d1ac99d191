import { Subscriptions } from '@remit/contracts/Subscriptions'
import { type Sending, useProvingGround } from '@remit/testing/support/chain/useProvingGround'
import { MONDAY_NOON } from '@remit/testing/support/chain/useTestChain'
import type { Faults } from '@remit/testing/support/nodes/countingProxy'
import { type Address, encodeFunctionData, type Hex } from 'viem'
import { describe, expect, it } from 'vitest'
import { createTransactions } from './transactions.ts'

const ground = await useProvingGround()
const { access, client, wallets, node, tokens } = ground
const { usdc } = tokens
const { alice, bob } = wallets
const USDC = 10n ** 6n

async function status(hash: Hex) {
  return createTransactions(access).transaction(await ground.view(), hash, {})
}

/** Sends and waits; the hash of a mined transaction. */
async function send(from: Address, call: Sending): Promise<Hex> {
  return (await ground.send(from, call)).transactionHash
}

function remit(): Sending {
  const data = encodeFunctionData({ abi: Subscriptions.abi, functionName: 'remit' })
  return { to: ground.contract, data }
}

/** A remit in the first block of the day on which alice is due, with too little gas to charge her. */
async function remitAfterMidnight(): Promise<Hex> {
  const terms = await ground.subscription(usdc, { dueDay: 3 })
  await send(alice, ground.approve(usdc, 100n * USDC))
  await send(alice, ground.subscribe(terms))
  await client.setNextBlockTimestamp({ timestamp: BigInt(MONDAY_NOON + 43_201) })
  return send(bob, { ...remit(), gas: 150_000n })
}

describe('a reverted transaction', () => {
  it('tells why, by a replay, in two HTTP requests', async () => {
    const terms = await ground.subscription(usdc)
    const hash = await send(alice, ground.subscribe(terms))
    await client.mine({ blocks: 1 })
    ground.counted()
    const outcome = await status(hash)
    expect(ground.counted().requests).toBe(2)
    expect(outcome).toMatchObject({
      status: 'reverted',
      confirmed: true,
      confirmations: 2,
      events: [],
      reason: { protocolCode: '10', name: 'INSUFFICIENT_ALLOWANCE_OR_BALANCE' },
      reasonSource: 'replay',
    })
    expect(outcome.gasUsed).toBeGreaterThan(21_000n)
  })

  it('tells why if a transaction before it in its block made it revert', async () => {
    const terms = await ground.subscription(usdc)
    await send(alice, ground.approve(usdc, 100n * USDC))
    await client.setAutomine(false)
    await ground.post(alice, ground.subscribe(terms))
    const second = await ground.post(alice, ground.subscribe(terms))
    await client.mine({ blocks: 1 })
    await client.setAutomine(true)
    expect(await status(second)).toMatchObject({
      status: 'reverted',
      reason: { protocolCode: '25', name: 'ALREADY_SUBSCRIBED' },
      reasonSource: 'replay',
    })
  })

  it('says that the gas ran out, in the transaction itself or in a call inside it', async () => {
    const terms = await ground.subscription(usdc)
    await send(alice, ground.approve(usdc, 100n * USDC))
    // The gas ends at once, at a storage slot, and within the token, which leaves an empty revert.
    for (const gas of [40_000n, 100_000n, 285_000n, 320_000n, 370_000n]) {
      const hash = await send(alice, { ...ground.subscribe(terms), gas })
      expect(await status(hash)).toMatchObject({ status: 'reverted', reason: { name: 'OUT_OF_GAS' } })
    }
  })

  it('tells why as of its own day where its parent is of the day before', async () => {
    const hash = await remitAfterMidnight()
    ground.counted()
    expect(await status(hash)).toMatchObject({ reason: { name: 'OUT_OF_GAS' }, reasonSource: 'replay' })
    expect(ground.counted().requests).toBe(3)
  })

  it.each<[string, Faults]>([
    ['refuses', { overrides: 'refused' }],
    ['ignores', { blockOverrides: 'ignored' }],
  ])('goes by the end of that block where the node %s the time of a call', async (_, faults) => {
    const hash = await remitAfterMidnight()
    node.fail(faults)
    expect(await status(hash)).toMatchObject({ reason: { name: 'OUT_OF_GAS' }, reasonSource: 'replay' })
  })

  it('keeps its status where the node no longer has the state for a replay', async () => {
    const hash = await send(alice, remit())
    node.fail({
      answer: ({ method }) =>
        method === 'eth_call' ? { error: { code: -32000, message: 'missing trie node' } } : undefined,
    })
    expect(await status(hash)).toMatchObject({ status: 'reverted', reason: null, reasonSource: null })
  })
})
