import { approvedToken } from '@remit/testing/support/chain/approvedToken'
import { contractAt } from '@remit/testing/support/chain/contractAt'
import { protocolOn, type Subscription, units } from '@remit/testing/support/chain/protocolOn'
import { useTestChain } from '@remit/testing/support/chain/useTestChain'
import { type Address, encodeFunctionData } from 'viem'
import { describe, expect, test } from 'vitest'
import { BlockingToken } from '../generated/BlockingToken.ts'
import { Bytes32MetadataToken } from '../generated/Bytes32MetadataToken.ts'
import { FeeOnTransferToken } from '../generated/FeeOnTransferToken.ts'
import { NamelessToken } from '../generated/NamelessToken.ts'
import { NoReturnToken } from '../generated/NoReturnToken.ts'
import { ReentrantToken } from '../generated/ReentrantToken.ts'
import { StubbornAllowanceToken } from '../generated/StubbornAllowanceToken.ts'

const chain = await useTestChain()
const protocol = protocolOn(chain)
const { provider, alice, bob, keeper } = chain.wallets

const remitReverts = () => protocol.reverts(keeper, 'remit', [])
const remit = () => protocol.send(keeper, 'remit', [])
const balanceOf = (token: Address, account: Address) => protocol.balanceOf(token, account)

/** 7 tokens on Wednesdays, subscribed to on a Monday: a fee balance of 2. */
async function subscribed(token: Address, ...accounts: Address[]): Promise<Subscription> {
  const subscription = await protocol.create({ token, amount: units('7'), dueDay: 3 })
  for (const account of accounts) await protocol.join(subscription, account)
  return subscription
}

describe.each([
  ['that returns nothing', NoReturnToken],
  ['with bytes32 metadata', Bytes32MetadataToken],
  ['that says nothing of itself', NamelessToken],
  ['that refuses to change an allowance', StubbornAllowanceToken],
])('a token %s', (_, artifact) => {
  test('is subscribed with, remitted and refunded like any other', async () => {
    const token = await approvedToken(chain, artifact)
    const subscription = await subscribed(token, alice, bob)
    expect(await balanceOf(token, protocol.address)).toBe(4_000_000n)
    await chain.advanceDays(2)
    await remit()
    expect(await balanceOf(token, provider)).toBe(14_000_000n)
    expect(await balanceOf(token, keeper)).toBe(280_000n)
    await protocol.send(alice, 'unsubscribe', [subscription])
    await protocol.send(provider, 'unsubscribeByProvider', [subscription, bob])
    expect(await balanceOf(token, protocol.address)).toBe(0n)
    expect(await balanceOf(token, provider)).toBe(15_860_000n)
  })
})

test('a token that refuses to change an allowance takes a new allowance only through 0', async () => {
  const token = await approvedToken(chain, StubbornAllowanceToken)
  const stubborn = contractAt(chain.client, token, StubbornAllowanceToken.abi)
  await stubborn.send(alice, 'approve', [protocol.address, 5n])
  expect(await stubborn.reverts(alice, 'approve', [protocol.address, 6n])).toBe('approve 0 first')
  await stubborn.send(alice, 'approve', [protocol.address, 0n])
  expect(await stubborn.reverts(alice, 'approve', [protocol.address, 6n])).toBeUndefined()
})

test('a token that takes a fee on transfer leaves the contract with less than the fee balances, which is nobody else’s loss until the last refund', async () => {
  const token = await approvedToken(chain, FeeOnTransferToken)
  const subscription = await subscribed(token, alice, bob)
  expect(await balanceOf(token, protocol.address)).toBe(3_960_000n)
  expect(await protocol.feeBalance(subscription, alice)).toBe(units('2'))
  await chain.advanceDays(2)
  await remit()
  expect(await balanceOf(token, provider)).toBe(13_860_000n)
  await protocol.send(alice, 'unsubscribe', [subscription])
  expect(await protocol.reverts(bob, 'unsubscribe', [subscription])).toContain('ERC20InsufficientBalance')
})

describe('a payer that the token blocks', () => {
  const block = async (token: Address, payer: Address, refusal: 0 | 1 | 2) =>
    contractAt(chain.client, token, BlockingToken.abi).send(alice, 'setRefusal', [payer, refusal])

  test('reverts the whole remit with what the token says, until it is let go', async () => {
    const token = await approvedToken(chain, BlockingToken)
    await subscribed(chain.tokens.usdc, alice)
    await subscribed(token, alice, bob)
    await chain.advanceDays(2)
    await block(token, alice, 1)
    expect(await remitReverts()).toBe('payer is blocked')
    await block(token, alice, 0)
    expect(await remitReverts()).toBeUndefined()
  })

  test('is SafeERC20FailedOperation where the token answers false instead', async () => {
    const token = await approvedToken(chain, BlockingToken)
    await subscribed(token, alice)
    await chain.advanceDays(2)
    await block(token, alice, 2)
    expect(await remitReverts()).toBe(`SafeERC20FailedOperation(${token})`)
  })

  test('cannot subscribe, and is not dropped for it', async () => {
    const token = await approvedToken(chain, BlockingToken)
    const subscription = await subscribed(token)
    await protocol.fund(token, alice, { balance: 7_000_000n, allowance: 7_000_000n })
    await block(token, alice, 2)
    expect(await protocol.reverts(alice, 'subscribe', [subscription])).toContain('SafeERC20FailedOperation')
    await block(token, alice, 1)
    expect(await protocol.reverts(alice, 'subscribe', [subscription])).toBe('payer is blocked')
  })
})

describe('a token that calls back', () => {
  const remitCall = encodeFunctionData({ abi: protocol.abi, functionName: 'remit' })
  const arm = async (token: Address, data: `0x${string}`) =>
    contractAt(chain.client, token, ReentrantToken.abi).send(alice, 'arm', [protocol.address, data])

  test('cannot enter remit from remit: "19"', async () => {
    const token = await approvedToken(chain, ReentrantToken)
    await subscribed(token, alice)
    await chain.advanceDays(2)
    await arm(token, remitCall)
    expect(await remitReverts()).toBe('19')
  })

  test('can enter remit from elsewhere, and everything else from remit: only remit is guarded', async () => {
    const token = await approvedToken(chain, ReentrantToken)
    const subscription = await subscribed(token, alice)
    await protocol.fund(token, bob, { balance: 7_000_000n, allowance: 7_000_000n })
    await arm(token, remitCall)
    expect(await protocol.reverts(bob, 'subscribe', [subscription])).toBe('6')
    const profile = { description: '', company: 'The token', url: '', domain: '', email: '', misc: '' }
    const edit = encodeFunctionData({ abi: protocol.abi, functionName: 'editProvDetails', args: [profile] })
    await arm(token, edit)
    await chain.advanceDays(2)
    expect(await remitReverts()).toBeUndefined()
  })

  test('leaves remit open for the next after a remit that reverted', async () => {
    const token = await approvedToken(chain, ReentrantToken)
    await subscribed(token, alice)
    await chain.advanceDays(2)
    await arm(token, remitCall)
    await expect(remit()).rejects.toThrow('19')
    await arm(token, '0x')
    expect(await remitReverts()).toBe('empty')
    await contractAt(chain.client, token, ReentrantToken.abi).send(alice, 'arm', [alice, '0x'])
    expect(await remitReverts()).toBeUndefined()
  })
})

describe('decimals', () => {
  test.each([
    [20, 700_000_000_000_000_000_000n],
    [18, 7_000_000_000_000_000_000n],
    [2, 700n],
    [0, 7n],
  ])('of %i scale the amount of 7 to the unit', async (decimals, period) => {
    const token = await approvedToken(chain, NoReturnToken, { decimals })
    const subscription = await subscribed(token)
    await protocol.fund(token, alice, { balance: period, allowance: period - 1n })
    expect(await protocol.reverts(alice, 'subscribe', [subscription])).toBe('10')
    await protocol.fund(token, alice, { allowance: period })
    await protocol.send(alice, 'subscribe', [subscription])
    expect(await balanceOf(token, protocol.address)).toBe((period / 7n) * 2n)
  })

  test('are those that the admin entered, not those of the token', async () => {
    const token = await approvedToken(chain, NoReturnToken, { decimals: 6, enteredDecimals: 8 })
    const subscription = await subscribed(token, alice)
    expect(await protocol.toRaw(token, subscription.amount)).toBe(700_000_000n)
    expect(await balanceOf(token, protocol.address)).toBe(200_000_000n)
  })
})
