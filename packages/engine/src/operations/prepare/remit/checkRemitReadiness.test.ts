import { useBacklogGround } from '@remit/testing/support/chain/useBacklogGround'
import { lasting, useTestService } from '@remit/testing/support/service/testService'
import { expect, it } from 'vitest'
import * as z from 'zod'

const { chain, weekly, otherWeekly, monthly } = await useBacklogGround()
const { keeper } = chain.wallets
const service = await useTestService([chain])
const Expected = z.object({ expectedTransactions: z.number() })

it('tells everything about the backlog that prepare remit tells, and what to do', async () => {
  await chain.advanceDays(3)
  await service.caughtUp()
  const { body } = await service.post('/check_remit_readiness', { from: keeper })
  const names = { [weekly.id]: '0xWEEKLY', [otherWeekly.id]: '0xOTHER', [monthly.id]: '0xMONTHLY' }
  expect(lasting(body, names)).toMatchInlineSnapshot(`
    {
      "chainId": 31337,
      "details": {
        "callerFees": [
          {
            "amount": "0.6",
            "amountRaw": "600000000000000000",
            "token": {
              "address": "0x9fE46736679d2D9a65F0992F2272dE9f3c7fa6e0",
              "decimals": 18,
              "name": "Dai Stablecoin (dev chain)",
              "symbol": "DAI",
            },
            "tokenDecimals": 18,
          },
          {
            "amount": "0.8",
            "amountRaw": "800000",
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
            "subscribers": 2,
            "subscriptions": 1,
            "transactions": 1,
            "willFail": 0,
            "willPay": 2,
          },
          {
            "date": "2026-03-04",
            "dayNumber": 20516,
            "state": "tried",
            "subscribers": 5,
            "subscriptions": 2,
            "transactions": 3,
            "willFail": 0,
            "willPay": 5,
          },
        ],
        "expectedTransactions": 4,
        "failing": [],
        "maxRemits": 2,
        "nextUncheckedDay": {
          "date": "2026-02-28",
          "dayNumber": 20512,
        },
        "seen": {
          "calls": 4,
          "through": {
            "date": "2026-03-05",
            "dayNumber": 20517,
          },
        },
      },
      "instructions": [
        "Ask prepare_remit (POST /prepare/remit?chainId=31337) for the transaction with the same \`from\`, sign it, send it, and wait until it is mined.",
        "Do so again until this check says NOTHING_DUE or REMIT_NOT_DUE.",
      ],
      "issues": [],
      "operation": "remit",
      "ready": true,
      "unproven": false,
      "warnings": [
        {
          "code": "REMIT_NEEDS_MORE_TRANSACTIONS",
          "expectedTransactions": 4,
          "message": "The backlog takes 4 calls of remit(): one clears at most one day that has anything due, and at most maxRemits subscribers. Prepare again after each.",
        },
      ],
    }
  `)
  const prepared = await service.post('/prepare/remit', { from: keeper })
  expect(prepared.body).toMatchObject({
    preflight: body.details,
    gasSummary: { backlogMultiplier: Expected.parse(body.details).expectedTransactions },
  })
})
