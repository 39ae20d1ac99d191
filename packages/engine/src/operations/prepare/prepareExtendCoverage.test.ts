import { StubbornAllowanceToken } from '@remit/contracts/StubbornAllowanceToken'
import { approvedToken } from '@remit/testing/support/chain/approvedToken'
import { Frequency, protocolOn, units } from '@remit/testing/support/chain/protocolOn'
import { signerOf, useTestChain } from '@remit/testing/support/chain/useTestChain'
import { lasting, useTestService } from '@remit/testing/support/service/testService'
import { expectKept } from '@remit/testing/support/wallets/expectKept'
import { erc20Abi, maxUint256 } from 'viem'
import { expect, it } from 'vitest'

const chain = await useTestChain()
const protocol = protocolOn(chain)
const { alice, keeper } = chain.wallets
const { usdc } = chain.tokens
const stubborn = await approvedToken(chain, StubbornAllowanceToken)
const weekly = await protocol.create()
const monthly = await protocol.create({ frequency: Frequency.MONTHLY, dueDay: 5 })
await protocol.join(weekly, alice, { balance: 10n ** 10n, allowance: 35_000_000n })
await protocol.send(alice, 'subscribe', [monthly])
await chain.keep()
const service = await useTestService([chain])
const sending = { chain, service, signer: signerOf(3) }
const names = { [weekly.id]: '<weekly>', [monthly.id]: '<monthly>' }

async function prepare(change: Record<string, unknown> = {}) {
  await service.caughtUp()
  return service.post('/prepare/extend_coverage', { from: alice, token: usdc, approvalPeriods: 3, ...change })
}

const allowanceOf = (token: typeof usdc) =>
  chain.client.readContract({
    address: token,
    abi: erc20Abi,
    functionName: 'allowance',
    args: [alice, chain.contract],
  })

it('approves what lasts for so many charges of each subscription, and says until when', async () => {
  const { body } = await prepare()
  expect(lasting(body, names)).toMatchObject({
    unsignedTransactions: [{ to: usdc, from: alice }],
    simulation: { success: true, calls: [{ events: [{ event: 'Approval' }] }] },
    preflight: {
      // Three months of the monthly one, 30 USDC, and the nine weeks until its last charge.
      allowance: {
        needed: { amount: '120' },
        proposed: { amount: '120' },
        coversUntil: { date: '2026-05-05' },
      },
      subscriptions: [
        { id: '<monthly>', allowanceCovers: { before: { periods: 1 }, after: { periods: 3 } } },
        { id: '<weekly>', allowanceCovers: { before: { periods: 2 } } },
      ],
    },
  })
})

it('is kept by the contract: no remit up to that day drops the wallet', async () => {
  await expectKept(sending, await prepare())
  await chain.advanceDays(64)
  for (let sent = 0; sent < 12; sent += 1) await protocol.send(keeper, 'remit', [])
  expect(await protocol.subscribersOf(weekly)).toEqual([alice])
  expect(await protocol.subscribersOf(monthly)).toEqual([alice])
})

it('warns where it would let a dear one go on at the cost of the rest, and keeps the dates where that is asked for', async () => {
  const dear = await protocol.create({ amount: units('1000'), dueDay: 4 })
  await protocol.join(dear, alice, { balance: 10n ** 11n })
  await protocol.send(alice, 'unsubscribe', [monthly])
  // Five weeks of the weekly one: the dear one is dropped on its first day.
  await protocol.fund(usdc, alice, { allowance: 55_000_000n })
  const short = await prepare({ approvalPeriods: 1 })
  expect(short.body.warnings).toMatchObject([{ code: 'SHORTENS_COVERAGE', subscriptions: [weekly.id] }])
  const kept = await prepare({ approvalPeriods: 1, keepCoverage: true })
  expect(kept.body).toMatchObject({
    warnings: [],
    preflight: { allowance: { proposed: { amount: '4050' } } },
  })
  await expectKept(sending, kept)
  await chain.advanceDays(32)
  while ((await protocol.reverts(keeper, 'remit', [])) === undefined) await protocol.send(keeper, 'remit', [])
  expect(await protocol.subscribersOf(weekly)).toEqual([alice])
})

it('resets an allowance first where the token wants that', async () => {
  const own = await protocol.create({ token: stubborn })
  await protocol.join(own, alice, { balance: 10n ** 9n, allowance: 11_000_000n })
  const prepared = await prepare({ token: stubborn })
  expect(prepared.body.warnings).toMatchObject([{ code: 'ALLOWANCE_RESET', subscriptionCount: 1 }])
  expect(prepared.body).toMatchObject({ signingMode: 'eip5792', unsignedTransactions: [{}, {}] })
  await expectKept(sending, prepared)
  expect(await allowanceOf(stubborn)).toBe(30_000_000n)
})

it('approves without end where that is asked for, and then has nothing to do', async () => {
  await expectKept(sending, await prepare({ infiniteApproval: true }))
  expect(await allowanceOf(usdc)).toBe(maxUint256)
  expect((await prepare()).body).toMatchObject({ code: 'NOT_READY', issues: [{ code: 'NOTHING_TO_EXTEND' }] })
})

it('prepares nothing where the allowance lasts for so long already, which is never lowered', async () => {
  await protocol.fund(usdc, alice, { allowance: 200_000_000n })
  const { body } = await prepare()
  expect(body).toMatchObject({ issues: [{ allowance: { amount: '200' }, needed: { amount: '120' } }] })
})
