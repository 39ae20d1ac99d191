import { operations } from '@remit/service/operations/index'
import { protocolOn } from '@remit/testing/support/chain/protocolOn'
import { useTestChain } from '@remit/testing/support/chain/useTestChain'
import { useCountingProxy } from '@remit/testing/support/nodes/countingProxy'
import { lasting, useTestService } from '@remit/testing/support/service/testService'
import { expect, it } from 'vitest'
import * as z from 'zod'

const chain = await useTestChain()
const protocol = protocolOn(chain)
const { alice, bob, provider } = chain.wallets
const { usdc } = chain.tokens
const weekly = await protocol.create()
await protocol.fund(usdc, alice, { balance: 1_000_000_000n })
await chain.keep()
const service = await useTestService([chain])
const proxy = await useCountingProxy(chain.url)
const poor = await useTestService([{ ...chain, url: proxy.url }])

const terms = { id: weekly.id, amount: '10', provider, token: usdc, frequency: 0, dueDay: 3 }

async function check(change: Record<string, unknown> = {}) {
  await service.caughtUp()
  return service.post('/check_subscribe_readiness_by_id', { from: alice, id: weekly.id, ...change })
}

it('has just this shape', async () => {
  const { status, body } = await check()
  expect(status).toBe(200)
  expect(lasting(body, { [weekly.id]: '0xWEEKLY' })).toMatchInlineSnapshot(`
    {
      "chainId": 31337,
      "details": {
        "allowance": {
          "amount": "0",
          "amountRaw": "0",
          "tokenDecimals": 6,
        },
        "alsoAffects": [],
        "balance": {
          "amount": "1000",
          "amountRaw": "1000000000",
          "tokenDecimals": 6,
        },
        "covers": {
          "failsOn": {
            "date": "2026-05-27",
            "dayNumber": 20600,
          },
          "limitedBy": "allowance",
          "periods": 12,
          "until": {
            "date": "2026-05-20",
            "dayNumber": 20593,
          },
        },
        "coversUntil": {
          "date": "2026-05-20",
          "dayNumber": 20593,
        },
        "firstCharge": {
          "toFeeBalance": {
            "amount": "2.857142",
            "amountRaw": "2857142",
            "tokenDecimals": 6,
          },
          "toProvider": {
            "amount": "0",
            "amountRaw": "0",
            "tokenDecimals": 6,
          },
        },
        "neededAllowance": {
          "amount": "122.857142",
          "amountRaw": "122857142",
          "tokenDecimals": 6,
        },
        "needsApproval": true,
        "nextDue": {
          "date": "2026-03-04",
          "dayNumber": 20516,
        },
        "proposedAllowance": {
          "amount": "122.857142",
          "amountRaw": "122857142",
          "tokenDecimals": 6,
        },
        "requiredAmount": {
          "amount": "10",
          "amountRaw": "10000000",
          "tokenDecimals": 6,
        },
        "token": {
          "address": "0xe7f1725E7734CE288F8367e1Bb143E90bb3F0512",
          "decimals": 6,
          "name": "USD Coin (dev chain)",
          "symbol": "USDC",
        },
      },
      "instructions": [
        "Ask prepare_subscribe_by_id (POST /prepare/subscribe_by_id?chainId=31337) for the transactions with the same input, and sign them.",
      ],
      "issues": [],
      "operation": "subscribe",
      "ready": true,
      "unproven": false,
      "warnings": [],
    }
  `)
})

it('is 200 and not ready where something stands against it, naming all of it', async () => {
  await protocol.send(provider, 'cancelSubscription', [weekly])
  const { status, body } = await check({ from: bob })
  expect(status).toBe(200)
  expect(body).toMatchObject({
    ready: false,
    issues: [{ code: 'SUBSCRIPTION_CANCELLED' }, { code: 'INSUFFICIENT_BALANCE' }],
    instructions: [expect.stringContaining('cancelled'), expect.stringContaining('holds 0 USDC')],
  })
})

it('says just what the prepare says with readinessOnly, in both forms', async () => {
  const more = { from: alice, approvalPeriods: 3, infiniteApproval: true }
  const { body } = await check(more)
  const { details, issues, warnings, ready } = body
  const same = { details, issues, warnings, ready }
  expect(
    (await service.post('/check_subscribe_readiness', { ...more, subscription: terms })).body,
  ).toMatchObject(same)
  const only = { ...more, readinessOnly: true }
  expect((await service.post('/prepare/subscribe_by_id', { ...only, id: weekly.id })).body).toMatchObject(
    same,
  )
  expect((await service.post('/prepare/subscribe', { ...only, subscription: terms })).body).toMatchObject(
    same,
  )
})

it('says that it is unproven where the node cannot run the batch as one', async () => {
  proxy.fail({
    overrides: 'refused',
    answer: ({ method }) =>
      method === 'eth_simulateV1'
        ? { error: { code: -32601, message: 'the method eth_simulateV1 does not exist' } }
        : undefined,
  })
  await poor.caughtUp()
  const input = { from: alice, id: weekly.id }
  const { body } = await poor.post('/check_subscribe_readiness_by_id', input)
  const prepared = await poor.post('/prepare/subscribe_by_id', input)
  expect(prepared.body).toMatchObject({ simulation: { method: 'partial' } })
  const [warning] = z
    .array(z.looseObject({ code: z.string() }))
    .parse(prepared.body.warnings)
    .filter(({ code }) => code === 'SIMULATION_PARTIAL')
  expect(body).toMatchObject({ ready: true, unproven: true, warnings: expect.arrayContaining([warning]) })
})

it('is cheap by id over REST, and costs a write as a tool and in the object form', () => {
  const bucketsOf = (name: string) => {
    const operation = operations.find((one) => one.name === name)
    return { rest: operation?.buckets, tool: operation?.toolBuckets }
  }
  expect(bucketsOf('check_subscribe_readiness_by_id')).toEqual({ rest: [], tool: ['write'] })
  expect(bucketsOf('check_subscribe_readiness')).toEqual({ rest: ['write'], tool: ['write'] })
})
