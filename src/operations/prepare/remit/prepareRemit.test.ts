import { expect, it } from 'vitest'
import * as z from 'zod'
import { Frequency, protocolOn } from '../../../../test/support/chain/protocolOn.ts'
import { signerOf, useTestChain } from '../../../../test/support/chain/useTestChain.ts'
import { lasting, useTestService } from '../../../../test/support/service/testService.ts'
import { signAndSend } from '../../../../test/support/wallets/signAndSend.ts'

const chain = await useTestChain({ terms: { maxRemits: 2n } })
const protocol = protocolOn(chain)
const { alice, bob, carol, keeper, provider } = chain.wallets
const { usdc } = chain.tokens
const signer = signerOf(9)
const weekly = await protocol.create()
const monthly = await protocol.create({ frequency: Frequency.MONTHLY, dueDay: 3, token: chain.tokens.dai })
await protocol.join(weekly, alice)
await protocol.join(weekly, bob)
// Enough to subscribe, and not enough for the first remit.
await protocol.join(weekly, carol, { balance: 10_000_000n, allowance: 10_000_000n })
await protocol.join(monthly, alice)
await chain.keep()
const service = await useTestService([chain])

const Preflight = z.object({ preflight: z.object({ expectedTransactions: z.number() }) })

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

it('takes as many transactions as it said, each doing what its proof promised', async () => {
  await chain.advanceDays(3)
  const first = await prepare()
  let expected = Preflight.parse(first.body).preflight.expectedTransactions
  const provided = await protocol.balanceOf(usdc, provider)
  let prepared = first
  while (prepared.status === 200) {
    expect(Preflight.parse(prepared.body).preflight.expectedTransactions).toBe(expected)
    const earned = await protocol.balanceOf(usdc, keeper)
    const { hashes, receipts } = await signAndSend(chain, signer, prepared.body)
    expect(receipts.map(({ status }) => status)).toEqual(['success'])
    await service.caughtUp()
    const outcome = await service.post('/transactions/status', { txHash: hashes[0] })
    const simulated = z
      .object({ simulation: z.object({ calls: z.array(z.object({ events: z.array(z.unknown()) })) }) })
      .parse(prepared.body).simulation.calls[0]?.events
    expect(withoutTimes(outcome.body.events)).toEqual(withoutTimes(simulated))
    const changes = z
      .object({
        simulation: z.object({
          balanceChanges: z.array(
            z.object({
              account: z.string(),
              token: z.object({ address: z.string() }),
              amountRaw: z.string(),
            }),
          ),
        }),
      })
      .parse(prepared.body).simulation.balanceChanges
    const promised = changes.find(({ account, token }) => account === keeper && token.address === usdc)
    expect((await protocol.balanceOf(usdc, keeper)) - earned).toBe(BigInt(promised?.amountRaw ?? '0'))
    expected -= 1
    prepared = await prepare()
  }
  expect(expected).toBe(0)
  expect(prepared.body).toMatchObject({ code: 'NOT_READY', issues: [{ code: 'NOTHING_DUE' }] })
  expect(await protocol.balanceOf(usdc, provider)).toBeGreaterThan(provided)
  expect(await protocol.subscribersOf(weekly)).toEqual([alice, bob])
})

it('goes on while the contract’s own view panics', async () => {
  await chain.advanceDays(3)
  await signAndSend(chain, signer, (await prepare()).body)
  await signAndSend(chain, signer, (await prepare()).body)
  // The page broke off at the first place of three; the second leaves, and only the list can take it.
  await protocol.send(alice, 'unsubscribe', [weekly])
  expect(await protocol.reverts(keeper, 'getSubscribersById', [weekly.id])).toBe('Panic(50)')
  const prepared = await prepare()
  expect(prepared.status).toBe(200)
  const { receipts } = await signAndSend(chain, signer, prepared.body)
  expect(receipts.map(({ status }) => status)).toEqual(['success'])
})

/** Events but for the moment of their block, which a simulation can only guess. */
function withoutTimes(events: unknown): unknown {
  return z
    .array(z.looseObject({ args: z.record(z.string(), z.unknown()) }))
    .parse(events)
    .map(({ args: { timestamp: _, ...args }, ...event }) => ({ ...event, args }))
}
