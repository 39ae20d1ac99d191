import { Frequency, protocolOn } from '@remit/testing/support/chain/protocolOn'
import { checkpointAt } from '@remit/testing/support/chain/useReadingGround'
import { signerOf, useTestChain } from '@remit/testing/support/chain/useTestChain'
import { lasting, useTestService } from '@remit/testing/support/service/testService'
import { expectKept } from '@remit/testing/support/wallets/expectKept'
import { maxUint256 } from 'viem'
import { describe, expect, it } from 'vitest'

const chain = await useTestChain()
const protocol = protocolOn(chain)
const { admin, alice, bob, carol, janitor, provider, stranger } = chain.wallets
const { usdc } = chain.tokens
const signer = signerOf(3)
const weekly = await protocol.create()
await protocol.join(weekly, alice, { allowance: 50_000_000n })
await protocol.join(weekly, bob)
await chain.keep()
const service = await useTestService([chain])

async function prepare(change: Record<string, unknown> = {}) {
  await service.caughtUp()
  return service.post('/prepare/unsubscribe_by_id', { from: alice, id: weekly.id, ...change })
}

const sending = { chain, service, signer }

it('lets a subscriber leave, and the fee balance goes to the provider, as was promised', async () => {
  const feeBalance = await protocol.feeBalance(weekly, alice)
  expect(feeBalance).toBeGreaterThan(0n)
  const prepared = await prepare()
  await expectKept(sending, prepared)
  expect(await protocol.subscribersOf(weekly)).toEqual([bob])
  expect(prepared.body).toMatchObject({
    preflight: { feeBalance: { amount: '2.857142' }, feeBalanceTo: provider },
    simulation: {
      balanceChanges: [
        { account: chain.contract, amount: '-2.857142' },
        { account: provider, amount: '2.857142' },
      ],
    },
  })
  expect(await prepare()).toMatchObject({ status: 422, body: { issues: [{ code: 'NOT_SUBSCRIBED' }] } })
})

it('has just this shape', async () => {
  const { body } = await prepare()
  const {
    gasEstimates: _,
    gasSummary: __,
    simulation: ___,
    unsignedTransactions: ____,
    ...rest
  } = lasting(body, { [weekly.id]: '0xWEEKLY' })
  expect(rest).toMatchInlineSnapshot(`
    {
      "chainId": 31337,
      "formattedValidUntil": "2026-03-03T00:00:00Z",
      "instructions": [
        "Connect the wallet 0x90F79bf6EB2c4f870365E785982E1f101E93b906 to Test chain 31337 (chain id 31337).",
        "Sign and send transaction 1 of 1: unsubscribe from 0xWEEKLY; the fee balance of 2.857142 USDC goes to the provider 0x70997970C51812dc3A010C7d01b50e0d17dc79C8, and not back to the wallet.",
        "Ask get_transaction_status (POST /transactions/status?chainId=31337) with {"txHash": "<hash>"} until \`confirmed\` is true.",
      ],
      "operation": "unsubscribe",
      "preflight": {
        "allowance": {
          "amount": "47.142858",
          "amountRaw": "47142858",
          "tokenDecimals": 6,
        },
        "feeBalance": {
          "amount": "2.857142",
          "amountRaw": "2857142",
          "tokenDecimals": 6,
        },
        "feeBalanceTo": "0x70997970C51812dc3A010C7d01b50e0d17dc79C8",
        "sharedWith": [],
        "sharedWithCount": 0,
        "subscription": {
          "amount": "10",
          "amountRaw": "10000000",
          "cancelled": false,
          "dueDay": 3,
          "frequency": 0,
          "frequencyLabel": "WEEKLY",
          "id": "0xWEEKLY",
          "nextDue": {
            "date": "2026-03-04",
            "dayNumber": 20516,
          },
          "overdue": [],
          "overdueCount": 0,
          "provider": "0x70997970C51812dc3A010C7d01b50e0d17dc79C8",
          "token": {
            "address": "0xe7f1725E7734CE288F8367e1Bb143E90bb3F0512",
            "decimals": 6,
            "name": "USD Coin (dev chain)",
            "symbol": "USDC",
          },
          "tokenDecimals": 6,
        },
      },
      "signingMode": "raw",
      "validUntil": 1772496000,
      "warnings": [
        {
          "allowance": {
            "amount": "47.142858",
            "amountRaw": "47142858",
            "tokenDecimals": 6,
          },
          "code": "ALLOWANCE_REMAINS",
          "message": "The protocol may still take 47.142858 USDC of 0x90F79bf6EB2c4f870365E785982E1f101E93b906: prepare_revoke_allowance (POST /prepare/revoke_allowance) sets that to 0.",
          "sharedWith": [],
          "sharedWithCount": 0,
          "token": "0xe7f1725E7734CE288F8367e1Bb143E90bb3F0512",
        },
      ],
    }
  `)
})

describe('what stays of the allowance', () => {
  it('is said to be without end where it is, and to pay for other subscriptions where it does', async () => {
    const monthly = await protocol.create({ frequency: Frequency.MONTHLY, dueDay: 9 })
    const left = await protocol.create({ frequency: Frequency.MONTHLY, dueDay: 9 })
    for (const subscription of [monthly, left]) await protocol.join(subscription, bob)
    await protocol.send(bob, 'unsubscribe', [left])
    const { body } = await prepare({ from: bob })
    expect(body).toMatchObject({
      preflight: { allowance: { amountRaw: maxUint256.toString() }, sharedWith: [monthly.id] },
      warnings: [{ message: expect.stringContaining('any USDC'), sharedWith: [monthly.id] }],
    })
  })

  it('is no warning where nothing does', async () => {
    await protocol.fund(usdc, alice, { allowance: 0n })
    expect((await prepare()).body.warnings).toEqual([])
  })
})

describe('a subscriber can always leave', () => {
  it('a subscription that its provider has cancelled', async () => {
    await protocol.send(provider, 'cancelSubscription', [weekly])
    const prepared = await prepare()
    // The janitor would give the fee balance to the wallet.
    expect(JSON.stringify(prepared.body.instructions)).toContain('where the protocol’s janitor ends')
    await expectKept(sending, prepared)
  })

  it('one in whose middle a remit has stopped', async () => {
    await protocol.send(admin, 'setPageStart', [checkpointAt(weekly.id)])
    const prepared = await prepare()
    expect(prepared.body).toMatchObject({
      simulation: { calls: [{ events: [{ event: 'UList' }, {}, {}, {}] }] },
    })
    await expectKept(sending, prepared)
    expect(await prepare()).toMatchObject({ status: 422, body: { issues: [{ code: 'NOT_SUBSCRIBED' }] } })
  })
})

describe('an account that is no active subscriber is refused, whatever the contract would take', () => {
  const refused = async (from: string, words: string) => {
    const { status, body } = await prepare({ from })
    const readiness = await prepare({ from, readinessOnly: true })
    expect(readiness.body).toMatchObject({ ready: false, issues: body.issues })
    expect({ status, code: body.code }).toEqual({ status: 422, code: 'NOT_READY' })
    expect(body.issues).toMatchObject([
      { code: 'NOT_SUBSCRIBED', subscriber: from, message: expect.stringContaining(words) },
    ])
  }

  it('one that never subscribed', async () => {
    expect(await protocol.reverts(stranger, 'unsubscribe', [weekly])).toBeUndefined()
    await refused(stranger, 'never subscribed')
  })

  it('one that a remit has dropped', async () => {
    await protocol.join(weekly, carol, { balance: 10_000_000n, allowance: 10_000_000n })
    await chain.advanceDays(2)
    await protocol.send(stranger, 'remit', [])
    await refused(carol, 'a payment failed')
  })

  it('one that the janitor has paid out after a cancellation', async () => {
    await protocol.send(provider, 'cancelSubscription', [weekly])
    await protocol.send(janitor, 'cleanupCancelledSubscribers', [{ ...weekly, cancelled: true }])
    expect(await protocol.reverts(alice, 'unsubscribe', [weekly])).toBeUndefined()
    await refused(alice, 'was cancelled')
  })
})
