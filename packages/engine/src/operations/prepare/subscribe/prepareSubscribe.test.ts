import { StubbornAllowanceToken } from '@remit/contracts/StubbornAllowanceToken'
import { approvedToken } from '@remit/testing/support/chain/approvedToken'
import { protocolOn } from '@remit/testing/support/chain/protocolOn'
import { signerOf, useTestChain } from '@remit/testing/support/chain/useTestChain'
import { useTestService } from '@remit/testing/support/service/testService'
import { signAndSend } from '@remit/testing/support/wallets/signAndSend'
import { maxUint256 } from 'viem'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'

const chain = await useTestChain()
const protocol = protocolOn(chain)
const { alice } = chain.wallets
const { usdc } = chain.tokens
const signer = signerOf(3)
const stubborn = await approvedToken(chain, StubbornAllowanceToken)
const weekly = await protocol.create()
await protocol.fund(usdc, alice, { balance: 1_000_000_000n })
await chain.keep()
const service = await useTestService([chain])

async function prepare(change: Record<string, unknown> = {}) {
  await service.caughtUp()
  return service.post('/prepare/subscribe_by_id', { from: alice, id: weekly.id, ...change })
}

describe('a wallet with no allowance', () => {
  it('gets approve and subscribe, which do just what their proof promised', async () => {
    const prepared = await prepare()
    expect(prepared.body).toMatchObject({
      signingMode: 'eip5792',
      eip5792: { version: '2.0.0', from: alice, chainId: '0x7a69', atomicRequired: false },
      simulation: {
        success: true,
        method: 'eth_simulateV1',
        balanceChanges: [
          { account: alice, amount: '-2.857142', amountRaw: '-2857142' },
          { account: chain.contract, amount: '2.857142' },
        ],
      },
    })
    const before = await protocol.balanceOf(usdc, alice)
    const { receipts } = await signAndSend(chain, signer, prepared.body)
    expect(receipts.map(({ status }) => status)).toEqual(['success', 'success'])
    expect((await protocol.balanceOf(usdc, alice)) - before).toBe(-2_857_142n)
    expect(await protocol.subscribersOf(weekly)).toEqual([alice])
  })

  it('gets the most that there is where it asks for it', async () => {
    const prepared = await prepare({ infiniteApproval: true })
    expect(prepared.body).toMatchObject({
      preflight: { allowance: { proposed: { amountRaw: maxUint256.toString() } } },
    })
    const { receipts } = await signAndSend(chain, signer, prepared.body)
    expect(receipts.every(({ status }) => status === 'success')).toBe(true)
  })
})

describe('a wallet with an allowance', () => {
  it('signs once where it suffices, and the allowance is never lowered', async () => {
    await protocol.fund(usdc, alice, { allowance: 200_000_000n })
    const prepared = await prepare()
    expect(prepared.body).toMatchObject({ signingMode: 'raw', preflight: { needsApproval: false } })
    expect(Object.keys(prepared.body)).not.toContain('eip5792')
    const { receipts } = await signAndSend(chain, signer, prepared.body)
    expect(receipts.map(({ status }) => status)).toEqual(['success'])
  })

  it('raises one that would not last', async () => {
    await protocol.fund(usdc, alice, { allowance: 10_000_000n })
    const { body } = await prepare()
    expect(body.unsignedTransactions).toHaveLength(2)
    expect(body).toMatchObject({ preflight: { allowance: { current: { amount: '10' } } } })
  })

  it('is told what a remit does while the allowance is 0, where it pays for another subscription by it', async () => {
    const [held, wanted] = [
      await protocol.create({ token: stubborn, dueDay: 1 }),
      await protocol.create({ token: stubborn }),
    ]
    await protocol.join(held, alice, { balance: 1_000_000_000n, allowance: 30_000_000n })
    const { body } = await prepare({ id: wanted.id })
    expect(body.warnings).toMatchObject([{ code: 'ALLOWANCE_RESET', token: stubborn, subscriptionCount: 1 }])
    // What the warning is about.
    const [reset] = z.array(z.unknown()).parse(body.unsignedTransactions)
    await signAndSend(chain, signer, { ...body, unsignedTransactions: [reset] })
    await protocol.send(chain.wallets.keeper, 'remit', [])
    expect(await protocol.subscribersOf(held)).toEqual([])
  })
})

it('warns that the first remit charges a full period where its day is still unchecked', async () => {
  await chain.advanceDays(3)
  const { body } = await prepare()
  expect(body).toMatchObject({ warnings: [{ code: 'BACKLOG_CHARGE', dueDay: { date: '2026-03-04' } }] })
})
