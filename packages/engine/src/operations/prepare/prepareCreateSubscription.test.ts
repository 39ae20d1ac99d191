import { protocolOn } from '@remit/testing/support/chain/protocolOn'
import { signerOf, useTestChain } from '@remit/testing/support/chain/useTestChain'
import { lasting, useTestService } from '@remit/testing/support/service/testService'
import { signAndSend } from '@remit/testing/support/wallets/signAndSend'
import { describe, expect, it } from 'vitest'

const chain = await useTestChain()
const protocol = protocolOn(chain)
const { admin, provider } = chain.wallets
const service = await useTestService([chain])
const signer = signerOf(1)

const body = {
  from: provider,
  amount: '10.5',
  token: chain.tokens.usdc,
  details: { url: 'https://coffee.example', description: 'Coffee ☕ each month' },
  frequency: 1,
  dueDay: 5,
}

async function prepare(change: Record<string, unknown> = {}) {
  return service.post('/prepare/create_subscription', { ...body, ...change })
}

it('makes a transaction that creates just what was asked for, and whose status tells the id', async () => {
  const prepared = await prepare()
  expect(prepared.status).toBe(200)
  expect(prepared.body).toMatchObject({ signingMode: 'raw', preflight: { nextDue: { date: '2026-03-05' } } })
  const { hashes } = await signAndSend(chain, signer, prepared.body)
  await service.caughtUp()

  const outcome = await service.post('/transactions/status', { txHash: hashes[0] })
  expect(outcome.body).toMatchObject({
    status: 'success',
    confirmed: true,
    confirmations: 1,
    events: [
      { event: 'DetailsLog', args: { url: body.details.url, description: body.details.description } },
      { event: 'SubLog', eventName: 'Created', amount: '10.5' },
    ],
  })
  const read = await service.get(`/subscriptions/${outcome.body.createdSubscriptionId}`)
  expect(read.body).toMatchObject({
    subscription: { provider, amount: '10.5', frequencyLabel: 'MONTHLY', dueDay: 5, cancelled: false },
  })
})

it('has just this shape', async () => {
  const { body: answer } = await prepare()
  const { gasEstimates: _, gasSummary: __, simulation: ___, ...rest } = lasting(answer)
  expect(rest).toMatchInlineSnapshot(`
    {
      "chainId": 31337,
      "formattedValidUntil": "2026-03-03T00:00:00Z",
      "instructions": [
        "Connect the wallet 0x70997970C51812dc3A010C7d01b50e0d17dc79C8 to Test chain 31337 (chain id 31337).",
        "Sign and send transaction 1 of 1: create a monthly subscription of 10.5 USDC.",
        "Ask get_transaction_status (POST /transactions/status?chainId=31337) with {"txHash": "<hash>"} until \`confirmed\` is true.",
      ],
      "operation": "create_subscription",
      "preflight": {
        "amount": {
          "amount": "10.5",
          "amountRaw": "10500000",
          "tokenDecimals": 6,
        },
        "minimum": {
          "amount": "0.01",
          "amountRaw": "10000",
          "tokenDecimals": 6,
        },
        "nextDue": {
          "date": "2026-03-05",
          "dayNumber": 20517,
        },
        "token": {
          "address": "0xe7f1725E7734CE288F8367e1Bb143E90bb3F0512",
          "decimals": 6,
          "name": "USD Coin (dev chain)",
          "symbol": "USDC",
        },
      },
      "signingMode": "raw",
      "unsignedTransactions": [
        {
          "chainId": 31337,
          "data": "0x0b8590c700000000000000000000000000000000000000000000000091b77e5e5d9a0000000000000000000000000000e7f1725e7734ce288f8367e1bb143e90bb3f051200000000000000000000000000000000000000000000000000000000000000a00000000000000000000000000000000000000000000000000000000000000001000000000000000000000000000000000000000000000000000000000000000500000000000000000000000000000000000000000000000000000000000000400000000000000000000000000000000000000000000000000000000000000080000000000000000000000000000000000000000000000000000000000000001668747470733a2f2f636f666665652e6578616d706c65000000000000000000000000000000000000000000000000000000000000000000000000000000000015436f6666656520e298952065616368206d6f6e74680000000000000000000000",
          "from": "0x70997970C51812dc3A010C7d01b50e0d17dc79C8",
          "to": "0x5FbDB2315678afecb367f032d93F642f64180aa3",
          "value": "0x0",
        },
      ],
      "validUntil": 1772496000,
      "warnings": [],
    }
  `)
})

describe('preconditions on chain', () => {
  async function issuesOf(change: Record<string, unknown>) {
    await service.caughtUp()
    const { status, body: answer } = await prepare(change)
    const readiness = await prepare({ ...change, readinessOnly: true })
    expect(readiness.body).toMatchObject({ ready: false, issues: answer.issues })
    expect({ status, code: answer.code }).toEqual({ status: 422, code: 'NOT_READY' })
    return answer.issues
  }

  it('refuses an amount that overflows the contract, and takes one that does not', async () => {
    expect(await issuesOf({ amount: `1${'0'.repeat(56)}` })).toMatchObject([{ code: 'AMOUNT_UNPAYABLE' }])
    const { status } = await prepare({ amount: `1${'0'.repeat(55)}` })
    expect(status).toBe(200)
  })

  it('refuses a paused token, and names everything that fails at once', async () => {
    await protocol.send(admin, 'pauseToken', [chain.tokens.usdc, true])
    expect(await issuesOf({ amount: '0' })).toMatchObject([
      { code: 'TOKEN_PAUSED' },
      { code: 'AMOUNT_BELOW_MINIMUM' },
    ])
  })
})

it.each([
  ['dueDay', { dueDay: 29 }],
  ['dueDay', { dueDay: 0 }],
  ['dueDay', { frequency: 0, dueDay: 8 }],
  ['dueDay', { frequency: 2, dueDay: 91 }],
  ['dueDay', { frequency: 3, dueDay: 366 }],
  ['details.url', { details: { url: 'http://coffee.example', description: '' } }],
  ['details.description', { details: { url: '', description: 'é'.repeat(128) } }],
  ['details.more', { details: { url: '', description: '', more: 1 } }],
])('invalid input is refused, naming %s: %j', async (path, change) => {
  const { status, body: answer } = await prepare(change)
  expect({ status, code: answer.code }).toEqual({ status: 400, code: 'VALIDATION_ERROR' })
  expect(answer.issues).toMatchObject([{ path }])
})
