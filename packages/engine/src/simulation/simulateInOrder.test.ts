import { useProvingGround } from '@remit/testing/support/chain/useProvingGround'
import { gasBudget } from '@remit/testing/support/nodes/gasBudget'
import { type Hex, hexToNumber, numberToHex } from 'viem'
import { beforeEach, describe, expect, it } from 'vitest'
import { type OrderedCall, simulateInOrder } from './simulateInOrder.ts'

const ground = await useProvingGround()
const { access, client, wallets, node } = ground
const { alice, bob } = wallets
const CAP = 16_777_216n
const BUDGET = 25_000_000n

/** Counts in slot 0 and returns the count, after as many loops of 40 gas as its data says. */
const COUNTER: Hex = '0x5f355b8015600f57600190036002565b505f54600101805f555f5260205ff3'

/** How much gas each simulation asked for. */
const asked: bigint[] = []
beforeEach(async () => {
  asked.splice(0)
  await client.setCode({ address: bob, bytecode: COUNTER })
  await client.mine({ blocks: 1 })
})

/** Calls that take so much gas each. */
function callsTaking(...gas: readonly number[]): OrderedCall[] {
  return gas.map((amount) => {
    const data = numberToHex(Math.floor((amount - 60_000) / 40), { size: 32 })
    return { from: alice, to: bob, data, gas: CAP }
  })
}
const eight = (gas: number) => callsTaking(...Array.from({ length: 8 }, () => gas))
const counts = (found: Awaited<ReturnType<typeof simulateInOrder>>) =>
  found?.answers.map(({ status, returnData }) => (status === 1n ? hexToNumber(returnData) : 'failed'))

describe('calls in a row', () => {
  it('have all the gas that they may have where nothing is known of the node', async () => {
    node.fail(gasBudget(10n ** 12n, { asked }))
    const found = await simulateInOrder(access.blocks, await ground.view(), eight(1_000_000))
    expect(counts(found)).toEqual([1, 2, 3, 4, 5, 6, 7, 8])
    expect(found?.cut).toBeUndefined()
    expect(asked).toEqual([8n * CAP])
  })

  it.each([
    ['reth', { code: -38026, message: 'Client adjustable limit reached' }],
    ['geth', { code: -38015, message: 'block gas limit reached: 824645763752 >= 25000000' }],
    ['a gateway', { code: -32000, message: 'gas limit exceeds the allowance of 25000000' }],
  ])('share what the node grants, all eight of them, where %s refuses more', async (_, refusal) => {
    node.fail(gasBudget(BUDGET, { asked, refusal }))
    const { blocks } = access
    const view = await ground.view()
    const found = await simulateInOrder(blocks, view, eight(1_000_000))
    expect(counts(found)).toEqual([1, 2, 3, 4, 5, 6, 7, 8])
    expect(found?.cut).toBeUndefined()
    expect(asked.length).toBeLessThanOrEqual(3)
    // It is known now.
    asked.splice(0)
    expect(counts(await simulateInOrder(blocks, view, eight(2_000_000)))).toHaveLength(8)
    expect(asked).toHaveLength(1)
  })

  it('get what they need where one takes much more than the others', async () => {
    node.fail(gasBudget(BUDGET, { asked }))
    const calls = callsTaking(1e6, 1e6, 9e6, 1e6, 1e6, 1e6, 1e6, 1e6)
    const found = await simulateInOrder(access.blocks, await ground.view(), calls)
    expect(counts(found)).toEqual([1, 2, 3, 4, 5, 6, 7, 8])
    expect(found?.cut).toBeUndefined()
  })

  it('are as many as fit, and it is said that others are left out', async () => {
    node.fail(gasBudget(BUDGET, { asked }))
    const found = await simulateInOrder(access.blocks, await ground.view(), eight(9_000_000))
    expect(counts(found)).toEqual([1, 2])
    expect(found?.cut).toBe('gasBudget')
    expect(asked.at(-1)).toBeLessThanOrEqual(BUDGET)
  })

  it('stop where nothing behind matters', async () => {
    node.fail(gasBudget(10n ** 12n, { asked }))
    const [first, second, third] = callsTaking(1e6, 30e6, 1e6)
    if (!first || !second || !third) throw new Error('there are three')
    const found = await simulateInOrder(
      access.blocks,
      await ground.view(),
      [first, second, third],
      ({ status }) => status !== 1n,
    )
    expect(counts(found)?.slice(0, 2)).toEqual([1, 'failed'])
    expect(found?.cut).toBeUndefined()
  })

  it('do not count as failed where the node gave them less than they asked for, as geth does', async () => {
    const ok = { status: '0x1', gasUsed: numberToHex(4_000_000), returnData: '0x', logs: [] }
    const short = {
      status: '0x0',
      gasUsed: numberToHex(5_000_000),
      returnData: '0x',
      logs: [],
      error: { message: 'out of gas' },
    }
    node.fail({
      answer: ({ method }) =>
        method === 'eth_simulateV1'
          ? { result: [{ calls: [ok, ok, ok, ok, ok, short, short, short] }] }
          : undefined,
    })
    const { blocks } = access
    const found = await simulateInOrder(blocks, await ground.view(), eight(4_000_000))
    expect(found?.answers).toHaveLength(5)
    expect(found?.cut).toBe('gasBudget')
    expect(blocks.preferred.most('simulationGas')).toBe(Number(BUDGET))
  })
})

it('a refusal for another reason is none of the calls’ answers', async () => {
  node.fail({
    answer: ({ method }) =>
      method === 'eth_simulateV1' ? { error: { code: -32000, message: 'not today' } } : undefined,
  })
  expect(await simulateInOrder(access.blocks, await ground.view(), eight(1_000_000))).toBeUndefined()
})
