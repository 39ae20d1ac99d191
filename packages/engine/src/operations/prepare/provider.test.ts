import { protocolOn } from '@remit/testing/support/chain/protocolOn'
import { useTestChain } from '@remit/testing/support/chain/useTestChain'
import { lasting, useTestService } from '@remit/testing/support/service/testService'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'

const chain = await useTestChain()
const protocol = protocolOn(chain)
const { alice, bob, janitor, provider, stranger } = chain.wallets
const { usdc } = chain.tokens
const weekly = await protocol.create()
for (const account of [alice, bob]) await protocol.join(weekly, account)
await chain.keep()
const service = await useTestService([chain])

const details = { url: 'https://new.example/plan', description: 'Coffee ☕ each week' }
const profile = {
  description: 'Roasts coffee ☕',
  company: 'Coffee Ltd',
  url: 'https://coffee.example',
  domain: 'coffee.example',
  email: 'mail@coffee.example',
  misc: '',
}

async function prepare(path: string, input: Record<string, unknown>) {
  await service.caughtUp()
  return service.post(`/prepare/${path}`, { from: provider, ...input })
}

type Change = Record<string, unknown>
const cancel = (change: Change = {}) => prepare('cancel_subscription_by_id', { id: weekly.id, ...change })
const remove = (change: Change = {}) =>
  prepare('unsubscribe_by_provider_by_id', { id: weekly.id, subscriber: alice, ...change })
const edit = (change: Change = {}) => prepare('edit_details', { id: weekly.id, details, ...change })
const editProfile = (change: Change = {}) => prepare('edit_provider_details', { ...profile, ...change })

describe('cancelling', () => {
  it('says what it found and what to do', async () => {
    const { body } = await cancel()
    const { preflight, warnings, instructions } = lasting(body, { [weekly.id]: '0xWEEKLY' })
    expect({ preflight, warnings, instructions }).toMatchInlineSnapshot(`
    {
      "instructions": [
        "Connect the wallet 0x70997970C51812dc3A010C7d01b50e0d17dc79C8 to Test chain 31337 (chain id 31337).",
        "Sign and send transaction 1 of 1: cancel 0xWEEKLY for good; its subscribers are charged no more, and get their fee balances back, less the system fee where that is on, when the protocol cleans up.",
        "Ask get_transaction_status (POST /transactions/status?chainId=31337) with {"txHash": "<hash>"} until \`confirmed\` is true.",
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

  it('cancels for good', async () => {
    const { body } = await cancel()
    expect(body).toMatchObject({
      simulation: { calls: [{ events: [{ eventName: 'Cancelled' }] }], balanceChanges: [] },
    })
    await protocol.send(provider, 'cancelSubscription', [weekly])
    await service.caughtUp()
    const read = await service.get(`/subscriptions/${weekly.id}`)
    expect(read.body).toMatchObject({ subscription: { cancelled: true, nextDue: null } })
  })

  it('warns where its gas cannot be estimated from the address that is to broadcast', async () => {
    const { status, body } = await cancel({ simulateFromAddress: stranger })
    expect(status).toBe(200)
    expect(body.warnings).toMatchObject([{ code: 'ESTIMATE_ADDRESS_REVERTS', simulateFromAddress: stranger }])
  })

  it('names all that stands against it', async () => {
    await protocol.send(provider, 'cancelSubscription', [weekly])
    expect((await cancel({ from: stranger })).body.issues).toMatchObject([
      { code: 'NOT_PROVIDER', provider, from: stranger },
      { code: 'ALREADY_CANCELLED', id: weekly.id },
    ])
  })
})

describe('removing a subscriber', () => {
  it('says what it found and what to do', async () => {
    const { body } = await remove()
    const { preflight, warnings, instructions } = lasting(body, { [weekly.id]: '0xWEEKLY' })
    expect({ preflight, warnings, instructions }).toMatchInlineSnapshot(`
    {
      "instructions": [
        "Connect the wallet 0x70997970C51812dc3A010C7d01b50e0d17dc79C8 to Test chain 31337 (chain id 31337).",
        "Sign and send transaction 1 of 1: remove 0x90F79bf6EB2c4f870365E785982E1f101E93b906 from 0xWEEKLY; the fee balance of 2.857142 USDC goes back to the subscriber.",
        "Ask get_transaction_status (POST /transactions/status?chainId=31337) with {"txHash": "<hash>"} until \`confirmed\` is true.",
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

  it('gives the fee balance back to the subscriber', async () => {
    expect((await remove()).body).toMatchObject({
      simulation: {
        balanceChanges: [
          { account: chain.contract, token: { address: usdc }, amount: '-2.857142' },
          { account: alice, amount: '2.857142' },
        ],
      },
    })
  })

  it('is the provider’s alone, not the subscriber’s, and of who is subscribed', async () => {
    expect((await remove({ from: alice })).body.issues).toMatchObject([
      { code: 'NOT_PROVIDER', provider, from: alice },
    ])
    expect((await remove({ from: stranger, subscriber: stranger })).body.issues).toMatchObject([
      { code: 'NOT_PROVIDER' },
      { code: 'NOT_SUBSCRIBED' },
    ])
  })

  it('is refused for whom the janitor has paid out', async () => {
    await protocol.send(provider, 'cancelSubscription', [weekly])
    await protocol.send(janitor, 'cleanupCancelledSubscribers', [{ ...weekly, cancelled: true }])
    expect((await remove()).body.issues).toMatchObject([{ code: 'NOT_SUBSCRIBED', subscriber: alice }])
  })
})

describe('editing details', () => {
  it('says what it found and what to do', async () => {
    const { body } = await edit()
    const { preflight, warnings, instructions } = lasting(body, { [weekly.id]: '0xWEEKLY' })
    expect({ preflight, warnings, instructions }).toMatchInlineSnapshot(`
    {
      "instructions": [
        "Connect the wallet 0x70997970C51812dc3A010C7d01b50e0d17dc79C8 to Test chain 31337 (chain id 31337).",
        "Sign and send transaction 1 of 1: replace url and description of 0xWEEKLY.",
        "Ask get_transaction_status (POST /transactions/status?chainId=31337) with {"txHash": "<hash>"} until \`confirmed\` is true.",
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

  it('replaces both texts', async () => {
    expect((await edit()).body).toMatchObject({
      simulation: { calls: [{ events: [{ event: 'DetailsLog', args: details }] }], balanceChanges: [] },
    })
  })

  it.each([
    ['details.url', { url: 'http://new.example', description: '' }],
    ['details.url', { url: `https://new.example/${'x'.repeat(2048)}`, description: '' }],
    ['details.description', { url: '', description: 'é'.repeat(128) }],
    ['details.description', { url: '', description: 'a\u202eb' }],
    ['details.more', { url: '', description: '', more: 1 }],
  ])('is refused, naming %s', async (path, given) => {
    const { status, body } = await edit({ details: given })
    expect({ status, code: body.code }).toEqual({ status: 400, code: 'VALIDATION_ERROR' })
    expect(body.issues).toMatchObject([{ path }])
  })
})

describe('editing the profile', () => {
  it('says what it found and what to do', async () => {
    const { preflight, warnings, instructions } = lasting((await editProfile()).body)
    expect({ preflight, warnings, instructions }).toMatchInlineSnapshot(`
    {
      "instructions": [
        "Connect the wallet 0x70997970C51812dc3A010C7d01b50e0d17dc79C8 to Test chain 31337 (chain id 31337).",
        "Sign and send transaction 1 of 1: replace the provider profile of 0x70997970C51812dc3A010C7d01b50e0d17dc79C8.",
        "Ask get_transaction_status (POST /transactions/status?chainId=31337) with {"txHash": "<hash>"} until \`confirmed\` is true.",
      ],
      "preflight": {
        "provider": "0x70997970C51812dc3A010C7d01b50e0d17dc79C8",
      },
      "warnings": [],
    }
  `)
  })

  it('replaces it, also for somebody who has no subscription yet', async () => {
    const empty = { description: '', company: '', url: '', domain: '', email: '', misc: '' }
    for (const [from, texts] of [
      [provider, profile],
      [stranger, empty],
    ] as const) {
      expect((await editProfile({ from, ...texts })).body).toMatchObject({
        preflight: { provider: from },
        simulation: { calls: [{ events: [{ event: 'ProvDetailsLog', args: texts }] }], balanceChanges: [] },
      })
    }
  })

  it.each([
    ...Object.keys(profile).flatMap((field) => [[field, 'é'.repeat(128)] as const, [field, 'a\nb'] as const]),
    ['url', 'http://coffee.example'] as const,
    ['url', 'coffee.example'] as const,
    ['url', `https://coffee.example/${'x'.repeat(255)}`] as const,
  ])('is refused, naming %s: %j', async (path, given) => {
    const { status, body } = await editProfile({ [path]: given })
    expect({ status, code: body.code }).toEqual({ status: 400, code: 'VALIDATION_ERROR' })
    const issues = z.array(z.object({ path: z.string() })).parse(body.issues)
    expect([...new Set(issues.map((issue) => issue.path))]).toEqual([path])
  })
})
