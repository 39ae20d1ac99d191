import { OverBudgetError } from '@remit/client/testing/sending/errors'
import type { SendingError } from '@remit/client/testing/sending/SendingError'
import { StubbornAllowanceToken } from '@remit/contracts/StubbornAllowanceToken'
import { erc20Abi } from 'viem'
import { beforeEach, describe, expect, it } from 'vitest'
import { approvedToken } from '../support/chain/approvedToken.ts'
import { type InjectedOptions, QUICK, useSendingGround } from './sendingGround.ts'

const ground = await useSendingGround()
const { chain, protocol, service, api, flows, flowsOver, weekly, injected } = ground
const { alice, bob } = chain.wallets
const { usdc } = chain.tokens
const stubborn = await approvedToken(chain, StubbornAllowanceToken)
const inStubborn = await protocol.create({ token: stubborn })
await protocol.join(inStubborn, bob, { balance: 500_000_000n, allowance: 30_000_000n })
await chain.keep()
const subscribe = flows.subscribe({ id: weekly.id })

beforeEach(() => service.caughtUp())

interface Status {
  readonly status: number
  readonly receipts: readonly Record<string, unknown>[]
}

/** A wallet that says of its calls what `told` makes of the truth, once they are on the chain. */
function telling(told: (truth: Status) => unknown, more: InjectedOptions['around'] = (_, go) => go()) {
  const around: InjectedOptions['around'] = async (request, go) => {
    const answer = await more(request, go)
    if (request.method !== 'wallet_getCallsStatus') return answer
    // Safe: the test wallet's own answer.
    const truth = answer as Status
    return truth.status === 100 ? { ...truth, receipts: [] } : told(truth)
  }
  return { around }
}

const UNKNOWN_HASH = `0x${'ab'.repeat(32)}`
/** Answers of wallets that have carried out everything. */
const ANSWERS: readonly (readonly [what: string, told: (truth: Status) => unknown])[] = [
  ['no receipts', ({ receipts: _, ...truth }) => truth],
  ['null for receipts', (truth) => ({ ...truth, receipts: null })],
  ['an empty list', (truth) => ({ ...truth, receipts: [] })],
  ['the first receipt only', (truth) => ({ ...truth, receipts: truth.receipts.slice(0, 1) })],
  ['receipts without a status', (truth) => without(truth, 'status')],
  ['receipts without a block', (truth) => without(truth, 'blockNumber')],
  ['receipts without a hash', (truth) => without(truth, 'transactionHash')],
  ['something that is no receipt', (truth) => ({ ...truth, receipts: [null, 'mined'] })],
  [
    'hashes that no node knows, and no logs',
    (truth) => ({
      ...truth,
      receipts: truth.receipts.map((one) => ({ ...one, logs: [], transactionHash: UNKNOWN_HASH })),
    }),
  ],
  ['the word of the first draft', (truth) => ({ status: 'CONFIRMED', receipts: truth.receipts })],
  ['600, and no receipts', (truth) => ({ ...truth, status: 600, receipts: [] })],
  ['500, with receipts of success', (truth) => ({ ...truth, status: 500 })],
]

function without(truth: Status, field: string): Status {
  return { ...truth, receipts: truth.receipts.map((one) => ({ ...one, [field]: undefined })) }
}

async function failureOf(sending: Promise<unknown>): Promise<SendingError> {
  return sending.then(
    () => expect.unreachable('it was sent'),
    (error) => error,
  )
}

describe('calls that the wallet has carried out', () => {
  it.each(ANSWERS)('are found at its node where it answers %s', async (_what, told) => {
    const { wallet, signatures } = injected(alice, telling(told))
    const outcome = await subscribe.send(wallet, QUICK)
    expect(outcome).toMatchObject({
      subscriptionId: weekly.id,
      callsId: expect.stringMatching(/^calls-/),
      firstCharge: { toFeeBalance: { amountRaw: 2_857_142n } },
    })
    const { hash } = outcome.transactions.at(-1) ?? {}
    const block = await chain.client.getBlock()
    expect(block.transactions).toContain(hash)
    expect(outcome.events).toContainEqual(expect.objectContaining({ eventName: 'Subscribed' }))
    expect(signatures()).toHaveLength(1)
  })

  it('are found by the allowance where they only approve', async () => {
    const { wallet } = injected(
      bob,
      telling((truth) => ({ ...truth, receipts: truth.receipts.slice(0, 1) })),
    )
    const extended = await flows.extendCoverage({ token: stubborn, approvalPeriods: 6 }).send(wallet, QUICK)
    expect(extended.allowanceRaw).toBe(
      await chain.client.readContract({
        address: stubborn,
        abi: erc20Abi,
        functionName: 'allowance',
        args: [bob, chain.contract],
      }),
    )
    expect(extended.allowanceRaw).toBeGreaterThan(30_000_000n)
  })

  it('are sent and not yet seen where its node shows nothing in time, and keep their room in the budget', async () => {
    const twin = await protocol.create()
    await service.caughtUp()
    const within = flowsOver(api, { budget: [{ token: usdc, perMonthRaw: 43_481_250n }] })
    // It has sent them, and its node is behind.
    const answers: Readonly<Record<string, unknown>> = {
      wallet_sendCalls: { id: 'calls-1' },
      wallet_getCallsStatus: { version: '2.0.0', status: 200 },
    }
    const { wallet } = injected(alice, {
      around: async ({ method }, go) => answers[method] ?? go(),
    })
    const sending = within.subscribe({ id: weekly.id }).send(wallet, { ...QUICK, timeoutMs: 1_000 })
    expect(await failureOf(sending)).toMatchObject({
      code: 'STILL_PENDING',
      callsId: 'calls-1',
      message: expect.stringContaining('was sent'),
    })
    const { wallet: same } = injected(alice)
    await expect(within.subscribe({ id: twin.id }).send(same, QUICK)).rejects.toThrow(OverBudgetError)
  })

  it('of which it says that all failed, or that none will come, are not looked for', async () => {
    const { wallet, provider } = injected(
      alice,
      telling(() => ({ status: 500, receipts: [] })),
    )
    expect(await failureOf(subscribe.send(wallet, QUICK))).toMatchObject({
      code: 'CALLS_FAILED',
      statusCode: 500,
    })
    expect(provider.requests.some(({ method }) => method === 'eth_getLogs')).toBe(false)
  })
})
