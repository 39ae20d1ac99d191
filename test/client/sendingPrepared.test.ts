import type { PrepareSubscribeByIdAnswer } from '@remit/client/testing/generated/api'
import { PreparedExpiredError, UnsafeTransactionError } from '@remit/client/testing/sending/errors'
import type { Progress } from '@remit/client/testing/sending/wallet/Wallet'
import { beforeEach, describe, expect, it } from 'vitest'
import { localWallet, QUICK, SIGNERS, useSendingGround } from './sendingGround.ts'

const ground = await useSendingGround()
const { chain, protocol, service, api, flowsOver, weekly, injected } = ground
const { alice, bob } = chain.wallets
const { usdc } = chain.tokens

let asked = 0
const flows = flowsOver({
  ...api,
  prepareSubscribeById: (...args) => {
    asked += 1
    return api.prepareSubscribeById(...args)
  },
})
const subscribe = flows.subscribe({ id: weekly.id })

beforeEach(async () => {
  asked = 0
  await service.caughtUp()
})

describe('what was prepared before', () => {
  it.each([
    ['by calls together', () => injected(alice).wallet],
    ['one by one', () => injected(alice, { sendsCalls: false }).wallet],
    ['by a key', () => localWallet(chain, SIGNERS.alice)],
  ])('is what is signed, and the service is asked for nothing else: %s', async (_, wallet) => {
    const prepared = await subscribe.prepare(alice)
    const told: string[] = []
    const onProgress = ({ kind, step, of }: Progress) => told.push(`${kind} ${step}/${of}`)
    const { transactions, firstCharge } = await subscribe.send(wallet(), { ...QUICK, prepared, onProgress })
    expect(firstCharge.toFeeBalance.amountRaw).toBe(2_857_142n)
    for (const [index, { hash }] of transactions.entries()) {
      const { to, input } = await chain.client.getTransaction({ hash })
      expect({ to, input }).toEqual({
        to: prepared.unsignedTransactions?.[index]?.to.toLowerCase(),
        input: prepared.unsignedTransactions?.[index]?.data,
      })
    }
    expect(asked).toBe(1)
    expect(told.slice(0, 2)).toEqual(['prepared 0/2', 'checked 0/2'])
  })

  it('has the paymaster that was shown, which is the one that was asked for', async () => {
    const paymasterUrl = 'https://pay.example'
    const paid = flows.subscribe({ id: weekly.id, paymasterUrl })
    const other = flows.subscribe({ id: weekly.id, paymasterUrl: 'https://other.example' })
    const { wallet, signatures } = injected(alice)
    for (const shown of [await subscribe.prepare(alice), await other.prepare(alice)]) {
      await expect(paid.send(wallet, { ...QUICK, prepared: shown })).rejects.toThrow(/its paymaster is/)
    }
    const sponsored = await paid.prepare(alice)
    await expect(subscribe.send(wallet, { ...QUICK, prepared: sponsored })).rejects.toThrow(
      /its paymaster is/,
    )
    expect(signatures()).toEqual([])
    await paid.send(wallet, { ...QUICK, prepared: sponsored })
    expect(signatures()).toHaveLength(1)
  })

  const others: readonly [string, () => Promise<PrepareSubscribeByIdAnswer>][] = [
    ['of another wallet', () => api.prepareSubscribeById({ id: weekly.id, from: bob })],
    [
      'with an approval for longer',
      () => api.prepareSubscribeById({ id: weekly.id, from: alice, approvalPeriods: 13 }),
    ],
    [
      'of the readiness alone',
      () => api.prepareSubscribeById({ id: weekly.id, from: alice, readinessOnly: true }),
    ],
    [
      'of another subscription',
      async () => {
        const { id } = await protocol.create({ dueDay: 5 })
        await service.caughtUp()
        return api.prepareSubscribeById({ id, from: alice })
      },
    ],
    ['for another chain', async () => ({ ...(await subscribe.prepare(alice)), chainId: 1 })],
    [
      'for a chain that has moved on',
      async () => {
        const prepared = await subscribe.prepare(alice)
        await protocol.fund(usdc, alice, { allowance: 900_000_000n })
        return prepared
      },
    ],
  ]

  it.each(others)('is refused, and not prepared anew, if it is an answer %s', async (_, prepare) => {
    await protocol.fund(usdc, bob, { balance: 1_000_000_000n })
    await service.caughtUp()
    const prepared = await prepare()
    const { wallet, signatures } = injected(alice)
    asked = 0
    await expect(subscribe.send(wallet, { ...QUICK, prepared })).rejects.toThrow(UnsafeTransactionError)
    expect(signatures()).toEqual([])
    expect(asked).toBe(0)
  })
})

describe('a day that ends', () => {
  it('before it is sent refuses it by name; prepared again, it is sent', async () => {
    const prepared = await subscribe.prepare(alice)
    await chain.advanceDays(1)
    await service.caughtUp()
    const { wallet, signatures } = injected(alice)
    const failure: unknown = await subscribe
      .send(wallet, { ...QUICK, prepared })
      .catch((error: unknown) => error)
    expect(failure).toBeInstanceOf(PreparedExpiredError)
    expect(failure).toMatchObject({ code: 'PREPARED_EXPIRED', validUntil: prepared.validUntil, sent: [] })
    expect(signatures()).toEqual([])
    expect(asked).toBe(1)

    const again = await subscribe.prepare(alice)
    const { firstCharge } = await subscribe.send(wallet, { ...QUICK, prepared: again })
    // A day less than on Monday.
    expect(firstCharge.toFeeBalance.amount).toBe('1.428571')
  })

  it('after the approval leaves the subscribe unsigned, and says what the approval still allows', async () => {
    const { wallet, signatures } = injected(alice, {
      sendsCalls: false,
      around: async ({ method }, go) => {
        const answer = await go()
        if (method === 'eth_sendTransaction') await chain.advanceDays(1)
        return answer
      },
    })
    const prepared = await subscribe.prepare(alice)
    const failure: unknown = await subscribe
      .send(wallet, { ...QUICK, prepared })
      .catch((error: unknown) => error)
    expect(failure).toMatchObject({
      code: 'PREPARED_EXPIRED',
      sent: [{ functions: ['approve'], status: 'success' }],
      allowanceRemains: { token: usdc, amountRaw: 122_857_142n },
    })
    expect(signatures().map(({ method }) => method)).toEqual(['wallet_sendCalls', 'eth_sendTransaction'])
    expect(asked).toBe(1)
    expect(await protocol.subscribersOf(weekly)).toEqual([])
  })
})
