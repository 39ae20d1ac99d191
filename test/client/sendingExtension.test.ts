import { OverBudgetError, UnsafeTransactionError } from '@remit/client/testing/sending/errors'
import { StubbornAllowanceToken } from '@remit/contracts/StubbornAllowanceToken'
import { erc20Abi, maxUint256 } from 'viem'
import { beforeEach, describe, expect, it } from 'vitest'
import { approvedToken } from '../support/chain/approvedToken.ts'
import { QUICK, useSendingGround } from './sendingGround.ts'

const { chain, protocol, service, api, flows, flowsOver, weekly, injected } = await useSendingGround()
const { alice } = chain.wallets
const { usdc, dai } = chain.tokens
const stubborn = await approvedToken(chain, StubbornAllowanceToken)
await protocol.join(weekly, alice, { allowance: 25_000_000n })
await chain.keep()

beforeEach(() => service.caughtUp())

const allowanceOf = (token: typeof usdc) =>
  chain.client.readContract({
    address: token,
    abi: erc20Abi,
    functionName: 'allowance',
    args: [alice, chain.contract],
  })

/** 10 USDC a week, 400 years of weeks over 400 years of months. */
const WEEKLY_TEN = 43_481_250n

describe('extending coverage', () => {
  it('approves what the chain says that so many charges take', async () => {
    const { wallet, signatures } = injected(alice)
    const outcome = await flows.extendCoverage({ token: usdc, approvalPeriods: 12 }).send(wallet, QUICK)
    expect(outcome).toMatchObject({
      token: usdc,
      allowanceRaw: 120_000_000n,
      transactions: [{ functions: ['approve'] }],
    })
    expect(await allowanceOf(usdc)).toBe(120_000_000n)
    expect(signatures()).toHaveLength(1)
  })

  it('resets first where the token wants that', async () => {
    const own = await protocol.create({ token: stubborn })
    await protocol.join(own, alice, { allowance: 11_000_000n })
    await service.caughtUp()
    const { wallet } = injected(alice)
    const { transactions } = await flows
      .extendCoverage({ token: stubborn, approvalPeriods: 3 })
      .send(wallet, QUICK)
    expect(transactions.flatMap(({ functions }) => functions)).toEqual(['approve', 'approve'])
    expect(await allowanceOf(stubborn)).toBe(30_000_000n)
  })

  it('tells what stands against it', async () => {
    expect(await flows.extendCoverage({ token: dai }).readiness(alice)).toMatchObject({
      ready: false,
      issues: [{ code: 'NOTHING_TO_EXTEND' }],
    })
  })

  it.each([
    ['more than the charges take', { approvalPeriods: 13 }],
    ['an approval without end', { infiniteApproval: true }],
  ])('signs nothing where what was shown is %s', async (_, change) => {
    const prepared = await api.prepareExtendCoverage({ token: usdc, from: alice, ...change })
    const { wallet, signatures } = injected(alice)
    const sent = flows
      .extendCoverage({ token: usdc, approvalPeriods: 12 })
      .send(wallet, { ...QUICK, prepared })
    await expect(sent).rejects.toBeInstanceOf(UnsafeTransactionError)
    expect(signatures()).toEqual([])
  })

  it('signs no more than the caller allows', async () => {
    const { wallet, signatures } = injected(alice)
    const sent = flows.extendCoverage({ token: usdc }).send(wallet, { ...QUICK, maxApproval: 119_999_999n })
    await expect(sent).rejects.toThrow('119999999 is the most allowed')
    expect(signatures()).toEqual([])
  })

  it('stays within the budget: a token that it does not name, or too much a month, is not extended', async () => {
    const { wallet, signatures } = injected(alice)
    for (const entry of [
      { token: dai, perMonthRaw: maxUint256 },
      { token: usdc, perMonthRaw: WEEKLY_TEN - 1n },
    ]) {
      const held = flowsOver(api, { budget: [entry] })
        .extendCoverage({ token: usdc })
        .send(wallet, QUICK)
      await expect(held).rejects.toBeInstanceOf(OverBudgetError)
    }
    expect(signatures()).toEqual([])
    const within = flowsOver(api, { budget: [{ token: usdc, perMonthRaw: WEEKLY_TEN }] })
    await expect(within.extendCoverage({ token: usdc }).send(wallet, QUICK)).resolves.toBeDefined()
  })
})
