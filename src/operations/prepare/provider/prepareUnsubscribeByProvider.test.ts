import { describe, expect, it } from 'vitest'
import { BlockingToken } from '../../../../contracts/generated/BlockingToken.ts'
import { approvedToken } from '../../../../test/support/chain/approvedToken.ts'
import { contractAt } from '../../../../test/support/chain/contractAt.ts'
import { protocolOn } from '../../../../test/support/chain/protocolOn.ts'
import { checkpointAt } from '../../../../test/support/chain/useReadingGround.ts'
import { signerOf, useTestChain } from '../../../../test/support/chain/useTestChain.ts'
import { lasting, useTestService } from '../../../../test/support/service/testService.ts'
import { expectKept } from '../../../../test/support/wallets/expectKept.ts'

const chain = await useTestChain()
const protocol = protocolOn(chain)
const { admin, alice, bob, janitor, provider, stranger } = chain.wallets
const { usdc } = chain.tokens
const sendingAs = (index: number) => ({ chain, service, signer: signerOf(index) })
const mistaken = await approvedToken(chain, BlockingToken, { decimals: 6, enteredDecimals: 8 })
const weekly = await protocol.create()
await protocol.join(weekly, alice)
await protocol.join(weekly, bob)
await chain.keep()
const service = await useTestService([chain])

async function prepare(change: Record<string, unknown> = {}) {
  await service.caughtUp()
  const input = { from: provider, id: weekly.id, subscriber: alice, ...change }
  return service.post('/prepare/unsubscribe_by_provider_by_id', input)
}

it('takes the subscriber off, who gets the fee balance back, as was promised', async () => {
  const prepared = await prepare()
  const held = await protocol.balanceOf(usdc, alice)
  await expectKept(sendingAs(1), prepared)
  expect(await protocol.subscribersOf(weekly)).toEqual([bob])
  expect((await protocol.balanceOf(usdc, alice)) - held).toBe(2_857_142n)
  expect(await prepare()).toMatchObject({ status: 422, body: { issues: [{ code: 'NOT_SUBSCRIBED' }] } })
})

it('says what it found and what to do', async () => {
  const { body } = await prepare()
  const { preflight, warnings, instructions } = lasting(body, { [weekly.id]: '0xWEEKLY' })
  expect({ preflight, warnings, instructions }).toMatchInlineSnapshot(`
    {
      "instructions": [
        "Connect the wallet 0x70997970C51812dc3A010C7d01b50e0d17dc79C8 to Test chain 31337 (chain id 31337).",
        "Sign and send transaction 1 of 1: remove 0x90F79bf6EB2c4f870365E785982E1f101E93b906 from 0xWEEKLY; the fee balance of 2.857142 USDC goes back to the subscriber.",
        "Poll POST /transactions/status?chainId=31337 with {"txHash": "<hash>"} until \`confirmed\` is true.",
      ],
      "preflight": {
        "feeBalance": {
          "amount": "2.857142",
          "amountRaw": "2857142",
          "tokenDecimals": 6,
        },
        "feeBalanceTo": "0x90F79bf6EB2c4f870365E785982E1f101E93b906",
        "subscriber": "0x90F79bf6EB2c4f870365E785982E1f101E93b906",
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
      "warnings": [],
    }
  `)
})

describe('a provider can always remove a subscriber', () => {
  it('from a subscription that it has cancelled', async () => {
    await protocol.send(provider, 'cancelSubscription', [weekly])
    await expectKept(sendingAs(1), await prepare())
  })

  it('in a paused token', async () => {
    await protocol.send(admin, 'pauseToken', [usdc, true])
    await expectKept(sendingAs(1), await prepare())
  })

  it('from one in whose middle a remit has stopped', async () => {
    await protocol.send(admin, 'setPageStart', [checkpointAt(weekly.id)])
    await expectKept(sendingAs(1), await prepare())
  })

  it('in a token whose decimals are entered wrong, which is a warning', async () => {
    const subscription = await protocol.create({ token: mistaken })
    await protocol.join(subscription, alice)
    const prepared = await prepare({ id: subscription.id })
    expect(prepared.body.warnings).toMatchObject([{ code: 'TOKEN_DECIMALS_MISMATCH' }])
    await expectKept(sendingAs(1), prepared, [mistaken])
  })
})

describe('preconditions on chain', () => {
  async function issuesOf(change: Record<string, unknown>) {
    const { status, body } = await prepare(change)
    const readiness = await prepare({ ...change, readinessOnly: true })
    expect(readiness.body).toMatchObject({ ready: false, issues: body.issues })
    expect({ status, code: body.code }).toEqual({ status: 422, code: 'NOT_READY' })
    return body.issues
  }

  it('refuses who is not the provider, also the subscriber itself', async () => {
    expect(await issuesOf({ from: alice })).toMatchObject([{ code: 'NOT_PROVIDER', provider, from: alice }])
  })

  it('refuses to remove who is not subscribed, and names both where both are wrong', async () => {
    expect(await issuesOf({ subscriber: stranger })).toMatchObject([{ code: 'NOT_SUBSCRIBED' }])
    expect(await issuesOf({ from: stranger, subscriber: stranger })).toMatchObject([
      { code: 'NOT_PROVIDER' },
      { code: 'NOT_SUBSCRIBED' },
    ])
  })

  it('refuses to remove whom the janitor has paid out', async () => {
    await protocol.send(provider, 'cancelSubscription', [weekly])
    await protocol.send(janitor, 'cleanupCancelledSubscribers', [{ ...weekly, cancelled: true }])
    expect(await issuesOf({})).toMatchObject([{ code: 'NOT_SUBSCRIBED', subscriber: alice }])
  })

  it('is 404 for a subscription that does not exist', async () => {
    const { status, body } = await prepare({ id: `0x${'12'.repeat(32)}` })
    expect({ status, code: body.code }).toEqual({ status: 404, code: 'NOT_FOUND' })
  })
})

it('gives no transactions where the token refuses to pay the subscriber', async () => {
  const subscription = await protocol.create({ token: mistaken })
  await protocol.join(subscription, alice)
  await contractAt(chain.client, mistaken, BlockingToken.abi).send(admin, 'setRefusal', [chain.contract, 2])
  const { status, body } = await prepare({ id: subscription.id })
  expect({ status, code: body.code }).toEqual({ status: 422, code: 'SIMULATION_FAILED' })
})
