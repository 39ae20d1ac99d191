import { describe, expect, it } from 'vitest'
import { BlockingToken } from '../../../../contracts/generated/BlockingToken.ts'
import { approvedToken } from '../../../../test/support/chain/approvedToken.ts'
import { protocolOn } from '../../../../test/support/chain/protocolOn.ts'
import { checkpointAt } from '../../../../test/support/chain/useReadingGround.ts'
import { signerOf, useTestChain } from '../../../../test/support/chain/useTestChain.ts'
import { lasting, useTestService } from '../../../../test/support/service/testService.ts'
import { expectKept } from '../../../../test/support/wallets/expectKept.ts'

const chain = await useTestChain()
const protocol = protocolOn(chain)
const { admin, alice, provider, stranger } = chain.wallets
const { usdc } = chain.tokens
const mistaken = await approvedToken(chain, BlockingToken, { decimals: 6, enteredDecimals: 8 })
const weekly = await protocol.create()
const inMistaken = await protocol.create({ token: mistaken })
await protocol.join(weekly, alice)
await chain.keep()
const service = await useTestService([chain])
const sending = { chain, service, signer: signerOf(1) }

async function prepare(change: Record<string, unknown> = {}) {
  await service.caughtUp()
  return service.post('/prepare/cancel_subscription_by_id', { from: provider, id: weekly.id, ...change })
}

it('cancels for good, as was promised', async () => {
  const prepared = await prepare()
  expect(prepared.body).toMatchObject({
    simulation: { calls: [{ events: [{ eventName: 'Cancelled' }] }], balanceChanges: [] },
  })
  await expectKept(sending, prepared)
  const { body } = await service.get(`/subscriptions/${weekly.id}`)
  expect(body).toMatchObject({ subscription: { cancelled: true, nextDue: null } })
})

it('says what it found and what to do', async () => {
  const { body } = await prepare()
  const { preflight, warnings, instructions } = lasting(body, { [weekly.id]: '0xWEEKLY' })
  expect({ preflight, warnings, instructions }).toMatchInlineSnapshot(`
    {
      "instructions": [
        "Connect the wallet 0x70997970C51812dc3A010C7d01b50e0d17dc79C8 to Test chain 31337 (chain id 31337).",
        "Sign and send transaction 1 of 1: cancel 0xWEEKLY for good; its subscribers are charged no more, and get their fee balances back, less the system fee where that is on, when the protocol cleans up.",
        "Poll POST /transactions/status?chainId=31337 with {"txHash": "<hash>"} until \`confirmed\` is true.",
      ],
      "preflight": {
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

it('tells only the readiness where nothing else is asked for', async () => {
  const { status, body } = await prepare({ readinessOnly: true })
  expect(status).toBe(200)
  expect(body).toMatchObject({ ready: true, issues: [], details: { subscription: { id: weekly.id } } })
  expect(body).not.toHaveProperty('unsignedTransactions')
  expect(body).not.toHaveProperty('gasEstimates')
})

it('warns where its gas cannot be estimated from the address that is to broadcast', async () => {
  const { status, body } = await prepare({ simulateFromAddress: stranger })
  expect(status).toBe(200)
  expect(body.warnings).toMatchObject([{ code: 'ESTIMATE_ADDRESS_REVERTS', simulateFromAddress: stranger }])
})

describe('a provider can always cancel', () => {
  it('in a paused token', async () => {
    await protocol.send(admin, 'pauseToken', [usdc, true])
    await expectKept(sending, await prepare())
  })

  it('while a remit has stopped in the middle of it', async () => {
    await protocol.send(admin, 'setPageStart', [checkpointAt(weekly.id)])
    await expectKept(sending, await prepare())
  })

  it('in a token whose decimals are entered wrong, which is a warning', async () => {
    const prepared = await prepare({ id: inMistaken.id })
    expect(prepared.body.warnings).toMatchObject([{ code: 'TOKEN_DECIMALS_MISMATCH' }])
    await expectKept(sending, prepared)
  })
})

describe('preconditions on chain', () => {
  it('refuse who is not the provider, and a second time', async () => {
    await protocol.send(provider, 'cancelSubscription', [weekly])
    const own = await prepare()
    expect(own).toMatchObject({ status: 422, body: { code: 'NOT_READY' } })
    expect(own.body.issues).toMatchObject([{ code: 'ALREADY_CANCELLED', id: weekly.id }])
    const foreign = await prepare({ from: stranger })
    expect(foreign.body.issues).toMatchObject([
      { code: 'NOT_PROVIDER', provider, from: stranger },
      { code: 'ALREADY_CANCELLED' },
    ])
  })

  it('are not asked for a subscription that does not exist, which is 404', async () => {
    const { status, body } = await prepare({ id: `0x${'12'.repeat(32)}` })
    expect({ status, code: body.code }).toEqual({ status: 404, code: 'NOT_FOUND' })
  })
})
