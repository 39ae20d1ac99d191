import { Subscriptions } from '@remit/contracts/Subscriptions'
import { decodeRevert } from '@remit/protocol/reverts'
import { encodeFunctionData, erc20Abi, numberToHex } from 'viem'
import { describe, expect, it } from 'vitest'
import { type ProvingGround, provingGroundOn } from '../../support/chain/useProvingGround.ts'
import { type TestChain, useTestChain } from '../../support/chain/useTestChain.ts'
import { describeGeth } from '../../support/geth/describeGeth.ts'
import { askNode, NodeError } from '../../support/geth/Engine.ts'

/** What the specification's examples of eth_simulateV1 show of the parts of it that are used here. */
async function simulations(chain: TestChain): Promise<void> {
  const ground: ProvingGround = await provingGroundOn(chain)
  const { access, client, wallets, tokens } = ground
  const { alice, bob } = wallets
  const remit = {
    to: chain.contract,
    data: encodeFunctionData({ abi: Subscriptions.abi, functionName: 'remit' }),
  }
  const run = async (calls: Parameters<typeof access.blocks.simulate>[1]) => {
    const answer = await access.blocks.simulate(await ground.view(), calls)
    if (answer.kind !== 'result') throw answer.error
    return answer.result
  }
  it('a call that reverts says with what, and those after it are run all the same', async () => {
    const { data } = ground.approve(tokens.usdc, 5n)
    const [first, second] = await run([
      { from: alice, ...remit },
      { from: alice, to: tokens.usdc, data },
    ])
    expect(first?.status).toBe(0n)
    expect(decodeRevert(first?.returnData ?? '0x')).toMatchObject({ kind: 'protocol', protocolCode: '6' })
    expect(second).toMatchObject({ status: 1n, logs: [{ address: tokens.usdc }] })
  })

  it('a call sees what those before it did', async () => {
    const { data } = ground.approve(tokens.usdc, 5n)
    const args = [alice, chain.contract] as const
    const read = encodeFunctionData({ abi: erc20Abi, functionName: 'allowance', args })
    const [, allowance] = await run([
      { from: alice, to: tokens.usdc, data },
      { from: bob, to: tokens.usdc, data: read },
    ])
    expect(allowance?.returnData).toBe(numberToHex(5, { size: 32 }))
  })

  it('a call that runs out of its gas leaves the others theirs', async () => {
    const { data } = ground.approve(tokens.usdc, 5n)
    const call = { from: alice, to: tokens.usdc, data }
    const [short, enough] = await run([
      { ...call, gas: 25_000n },
      { ...call, gas: 100_000n },
    ])
    expect([short?.status, short?.returnData, enough?.status]).toEqual([0n, '0x', 1n])
  })

  it('it runs in the block and at the time that it is told', async () => {
    // Answers with the number and the time of the block that it runs in.
    const code = '435f524260205260405ff3'
    // Copies what follows these 12 bytes into memory, and returns it.
    const to = await chain.deploy(`0x600b80600c6000396000f300${code}`)
    const { number, timestamp } = await client.getBlock()
    const view = { ...(await ground.view()), now: Number(timestamp) + 77 }
    const answer = await access.blocks.simulate(view, [{ from: alice, to, data: '0x' }])
    if (answer.kind !== 'result') throw answer.error
    const words = [number + 1n, timestamp + 77n].map((word) => numberToHex(word, { size: 32 }).slice(2))
    expect(answer.result[0]?.returnData).toBe(`0x${words.join('')}`)
  })

  it('a wallet without gas money may simulate', async () => {
    const from = '0x00000000000000000000000000000000000c0ffe'
    const [call] = await run([{ from, to: tokens.usdc, data: ground.approve(tokens.usdc, 1n).data }])
    expect(call?.status).toBe(1n)
  })
}

describe('eth_simulateV1 of anvil', async () => simulations(await useTestChain()))
describeGeth('eth_simulateV1 of geth', async (chain) => {
  await simulations(chain)
  const refusal = async (block: object) => {
    const params = [{ blockStateCalls: [block], validation: false }, 'latest']
    const error = await askNode(chain.url, 'eth_simulateV1', params).catch((cause: unknown) => cause)
    if (!(error instanceof NodeError)) throw new Error(`It answered ${JSON.stringify(error)}`)
    return error.error.code
  }

  it('more gas than the block has, and a time before the block’s, are refused by their codes', async () => {
    const call = { from: chain.wallets.alice, to: chain.tokens.usdc, data: '0x', gas: '0x5208' }
    expect(await refusal({ blockOverrides: { gasLimit: '0x5208' }, calls: [call, call] })).toBe(-38015)
    expect(await refusal({ blockOverrides: { time: '0x1' }, calls: [call] })).toBe(-38021)
  })
})
