import { describe, expect, it } from 'vitest'
import { protocolOn } from '../../../../test/support/chain/protocolOn.ts'
import { signerOf, useTestChain } from '../../../../test/support/chain/useTestChain.ts'
import { lasting, useTestService } from '../../../../test/support/service/testService.ts'
import { expectKept } from '../../../../test/support/wallets/expectKept.ts'

const chain = await useTestChain()
const protocol = protocolOn(chain)
const { admin, provider, stranger } = chain.wallets
const weekly = await protocol.create()
await chain.keep()
const service = await useTestService([chain])
const sending = { chain, service, signer: signerOf(1) }
const details = { url: 'https://new.example/plan', description: 'Coffee ☕ each week' }

async function prepare(change: Record<string, unknown> = {}) {
  await service.caughtUp()
  return service.post('/prepare/edit_details', { from: provider, id: weekly.id, details, ...change })
}

it('replaces both words, as was promised', async () => {
  const prepared = await prepare()
  expect(prepared.body).toMatchObject({
    simulation: { calls: [{ events: [{ event: 'DetailsLog', args: details }] }], balanceChanges: [] },
  })
  await expectKept(sending, prepared)
})

it('says what it found and what to do', async () => {
  const { body } = await prepare()
  const { preflight, warnings, instructions } = lasting(body, { [weekly.id]: '0xWEEKLY' })
  expect({ preflight, warnings, instructions }).toMatchInlineSnapshot(`
    {
      "instructions": [
        "Connect the wallet 0x70997970C51812dc3A010C7d01b50e0d17dc79C8 to Test chain 31337 (chain id 31337).",
        "Sign and send transaction 1 of 1: replace url and description of 0xWEEKLY.",
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

it('does so for a cancelled subscription in a paused token too, whose words are still read', async () => {
  await protocol.send(provider, 'cancelSubscription', [weekly])
  await protocol.send(admin, 'pauseToken', [chain.tokens.usdc, true])
  await expectKept(sending, await prepare({ details: { url: '', description: '' } }))
})

it('refuses a stranger, whose call the contract would take and forget', async () => {
  expect(await protocol.send(stranger, 'editDetails', [details, weekly.id])).toEqual([])
  const { status, body } = await prepare({ from: stranger })
  expect({ status, code: body.code }).toEqual({ status: 422, code: 'NOT_READY' })
  expect(body.issues).toMatchObject([{ code: 'NOT_PROVIDER', provider, from: stranger }])
  const readiness = await prepare({ from: stranger, readinessOnly: true })
  expect(readiness.body).toMatchObject({ ready: false, issues: body.issues })
})

it('is 404 for a subscription that does not exist', async () => {
  const { status, body } = await prepare({ id: `0x${'12'.repeat(32)}` })
  expect({ status, code: body.code }).toEqual({ status: 404, code: 'NOT_FOUND' })
})

describe('invalid details', () => {
  it.each([
    ['details', undefined],
    ['details.url', { url: 'http://new.example', description: '' }],
    ['details.url', { url: `https://new.example/${'x'.repeat(2048)}`, description: '' }],
    ['details.description', { url: '', description: 'é'.repeat(128) }],
    ['details.description', { url: '', description: 'a\u202eb' }],
    ['details.more', { url: '', description: '', more: 1 }],
  ])('are refused, naming %s', async (path, given) => {
    const { status, body } = await prepare({ details: given })
    expect({ status, code: body.code }).toEqual({ status: 400, code: 'VALIDATION_ERROR' })
    expect(body.issues).toMatchObject([{ path }])
  })
})
