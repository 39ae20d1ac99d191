import { Frequency, protocolOn } from '@remit/testing/support/chain/protocolOn'
import { useTestChain } from '@remit/testing/support/chain/useTestChain'
import { lasting, useTestService } from '@remit/testing/support/service/testService'
import { expect, it } from 'vitest'

const chain = await useTestChain({ terms: { maxRemits: 2n } })
const protocol = protocolOn(chain)
const { alice, bob, carol, keeper } = chain.wallets
const weekly = await protocol.create()
const monthly = await protocol.create({ frequency: Frequency.MONTHLY, dueDay: 3, token: chain.tokens.dai })
await protocol.join(weekly, alice)
await protocol.join(weekly, bob)
// Enough to subscribe, and not enough for the first remit.
await protocol.join(weekly, carol, { balance: 10_000_000n, allowance: 10_000_000n })
await protocol.join(monthly, alice)
await chain.keep()
const service = await useTestService([chain])

async function prepare(change: Record<string, unknown> = {}) {
  await service.caughtUp()
  return service.post('/prepare/remit', { from: keeper, ...change })
}

it('tells who will pay and who will fail, and what all of it earns', async () => {
  await chain.advanceDays(3)
  const { body } = await prepare()
  const { preflight } = lasting(body, { [weekly.id]: '0xWEEKLY' })
  expect(preflight).toMatchInlineSnapshot(`
    {
      "callerFees": [
        {
          "amount": "0.2",
          "amountRaw": "200000000000000000",
          "token": {
            "address": "0x9fE46736679d2D9a65F0992F2272dE9f3c7fa6e0",
            "decimals": 18,
            "name": "Dai Stablecoin (dev chain)",
            "symbol": "DAI",
          },
          "tokenDecimals": 18,
        },
        {
          "amount": "0.6",
          "amountRaw": "600000",
          "token": {
            "address": "0xe7f1725E7734CE288F8367e1Bb143E90bb3F0512",
            "decimals": 6,
            "name": "USD Coin (dev chain)",
            "symbol": "USDC",
          },
          "tokenDecimals": 6,
        },
      ],
      "currentDay": {
        "date": "2026-03-05",
        "dayNumber": 20517,
      },
      "days": [
        {
          "date": "2026-03-03",
          "dayNumber": 20515,
          "state": "tried",
          "subscribers": 1,
          "subscriptions": 1,
          "transactions": 1,
          "willFail": 0,
          "willPay": 1,
        },
        {
          "date": "2026-03-04",
          "dayNumber": 20516,
          "state": "tried",
          "subscribers": 3,
          "subscriptions": 1,
          "transactions": 2,
          "willFail": 1,
          "willPay": 2,
        },
      ],
      "expectedTransactions": 3,
      "failing": [
        {
          "date": "2026-03-04",
          "reason": "allowance",
          "subscriber": "0x9965507D1a55bcC2695C58ba16FB37d819B0A4dc",
          "subscriptionId": "0xWEEKLY",
        },
      ],
      "maxRemits": 2,
      "nextUncheckedDay": {
        "date": "2026-02-28",
        "dayNumber": 20512,
      },
      "seen": {
        "calls": 3,
        "through": {
          "date": "2026-03-05",
          "dayNumber": 20517,
        },
      },
    }
  `)
  expect(body).toMatchObject({
    warnings: [{ code: 'REMIT_NEEDS_MORE_TRANSACTIONS', expectedTransactions: 3 }],
    gasSummary: { transactionCount: 1, backlogMultiplier: 3 },
  })
})
