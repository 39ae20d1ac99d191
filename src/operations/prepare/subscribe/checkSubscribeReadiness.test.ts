import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { BlockingToken } from '../../../../contracts/generated/BlockingToken.ts'
import { approvedToken } from '../../../../test/support/chain/approvedToken.ts'
import { contractAt, type TestContract } from '../../../../test/support/chain/contractAt.ts'
import { protocolOn } from '../../../../test/support/chain/protocolOn.ts'
import { useTestChain } from '../../../../test/support/chain/useTestChain.ts'
import { useCountingProxy } from '../../../../test/support/nodes/countingProxy.ts'
import { lasting, useTestService } from '../../../../test/support/service/testService.ts'
import { operations } from '../../index.ts'

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
      },
      "instructions": [
        "Ask POST /prepare/subscribe_by_id?chainId=31337 (tool prepare_subscribe_by_id) for the transactions with the same input, and sign them.",
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

type Blocking = TestContract<typeof BlockingToken.abi>

describe('a wallet that its token refuses, although balance and allowance are enough', () => {
  it.each([
    ['by a blacklist', (token: Blocking) => token.send(alice, 'setBlacklisted', [alice, true])],
    ['by a revert', (token: Blocking) => token.send(alice, 'setRefusal', [alice, 1])],
    ['by answering false', (token: Blocking) => token.send(alice, 'setRefusal', [alice, 2])],
  ])('is not ready, with the prepare’s own reason: %s', async (_, refuse) => {
    const token = await approvedToken(chain, BlockingToken)
    const plan = await protocol.create({ token })
    await protocol.fund(token, alice, { balance: 10n ** 9n, allowance: 10n ** 9n })
    await refuse(contractAt(chain.client, token, BlockingToken.abi))
    await service.caughtUp()
    const input = { from: alice, id: plan.id }
    const prepared = await service.post('/prepare/subscribe_by_id', input)
    expect(prepared).toMatchObject({ status: 422, body: { code: 'SIMULATION_FAILED' } })
    const { error: message, reason } = prepared.body
    const said = { ready: false, issues: [{ code: 'SIMULATION_FAILED', message, reason }] }
    const form = { from: alice, subscription: { ...terms, id: plan.id, token } }
    for (const [path, body] of [
      ['/check_subscribe_readiness_by_id', input],
      ['/check_subscribe_readiness', form],
      ['/prepare/subscribe_by_id', { ...input, readinessOnly: true }],
      ['/prepare/subscribe', { ...form, readinessOnly: true }],
    ] as const) {
      expect(await service.post(path, body), path).toMatchObject({ status: 200, body: said })
    }
  })
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

describe('it is refused', () => {
  it('for a subscription that does not exist', async () => {
    const id = `0x${'12'.repeat(32)}`
    expect(await check({ id })).toMatchObject({ status: 404, body: { code: 'NOT_FOUND', id } })
    const inObject = await service.post('/check_subscribe_readiness', {
      from: alice,
      subscription: { ...terms, id },
    })
    expect(inObject).toMatchObject({ status: 404, body: { code: 'NOT_FOUND', id } })
  })

  it.each([
    ['approvalPeriods', { approvalPeriods: 121 }],
    ['simulateFromAddress', { simulateFromAddress: provider }],
    ['from', { from: undefined }],
  ])('for input that does not fit, naming %s', async (path, change) => {
    const { status, body } = await check(change)
    expect({ status, code: body.code }).toEqual({ status: 400, code: 'VALIDATION_ERROR' })
    expect(body.issues).toMatchObject([{ path }])
  })
})

it('is cheap by id over REST, and costs a write as a tool and in the object form', () => {
  const bucketsOf = (name: string) => {
    const operation = operations.find((one) => one.name === name)
    return { rest: operation?.buckets, tool: operation?.toolBuckets }
  }
  expect(bucketsOf('check_subscribe_readiness_by_id')).toEqual({ rest: [], tool: ['write'] })
  expect(bucketsOf('check_subscribe_readiness')).toEqual({ rest: ['write'], tool: ['write'] })
})
