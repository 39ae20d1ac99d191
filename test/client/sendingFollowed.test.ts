import { OverBudgetError } from '@remit/client/testing/sending/errors'
import type { SendingError } from '@remit/client/testing/sending/SendingError'
import type { Progress, Sent } from '@remit/client/testing/sending/wallet/Wallet'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { QUICK, useSendingGround } from './sendingGround.ts'

const ground = await useSendingGround()
const { chain, protocol, service, api, flows, flowsOver, weekly, injected } = ground
const { alice, provider, keeper } = chain.wallets
const { usdc } = chain.tokens
const { client } = chain

beforeEach(() => service.caughtUp())
afterEach(async () => {
  await client.mine({ blocks: 1 })
  await client.setAutomine(true)
})

/** What another run of the program has kept of a sending that nobody waits for any more. */
async function kept(send: (onProgress: (progress: Progress) => void) => Promise<unknown>): Promise<Sent> {
  await client.setAutomine(false)
  const told: string[] = []
  await send((progress) => {
    if (progress.kind !== 'sent') return
    told.push(JSON.stringify(progress))
    throw new Error('the program has ended')
  }).catch(() => {})
  // Safe: the client's own words.
  return JSON.parse(told[0] ?? '') as Sent
}

async function failureOf(following: Promise<unknown>): Promise<SendingError> {
  return following.then(
    () => expect.unreachable('it was found'),
    (error) => error,
  )
}

describe('what another run has sent', () => {
  const subscribe = flows.subscribe({ id: weekly.id })

  it('is followed to its result by the hash', async () => {
    await protocol.fund(usdc, alice, { allowance: 500_000_000n })
    await service.caughtUp()
    const { wallet } = injected(alice)
    const sent = await kept((onProgress) => subscribe.send(wallet, { ...QUICK, onProgress }))
    const { wallet: next, signatures } = injected(alice)
    const following = subscribe.follow(next, sent, QUICK)
    await client.mine({ blocks: 1 })
    expect(await following).toMatchObject({
      subscriptionId: weekly.id,
      firstCharge: { toFeeBalance: { amountRaw: 2_857_142n } },
      transactions: [{ hash: sent.hash, functions: ['subscribe'] }],
    })
    expect(signatures()).toEqual([])
  })

  it('is followed by the wallet’s id, also in a wallet that does not know it', async () => {
    const { wallet, provider: own } = injected(alice)
    const sent = await kept((onProgress) => subscribe.send(wallet, { ...QUICK, onProgress }))
    expect(sent).toMatchObject({ hash: null, callsId: expect.stringMatching(/^calls-/) })
    await client.setAutomine(true)
    await client.mine({ blocks: 1 })
    await own.carriedOut()
    for (const next of [wallet, injected(alice).wallet]) {
      const outcome = await subscribe.follow(next, sent, QUICK)
      expect(outcome).toMatchObject({
        subscriptionId: weekly.id,
        callsId: sent.callsId,
        firstCharge: { toFeeBalance: { amountRaw: 2_857_142n } },
      })
    }
  })

  it('is no result where it was a part, and the rest was not sent', async () => {
    const { wallet } = injected(alice)
    const sent = await kept((onProgress) => subscribe.send(wallet, { ...QUICK, together: false, onProgress }))
    expect(sent).toMatchObject({ step: 1, of: 2, functions: ['approve'] })
    await client.mine({ blocks: 1 })
    expect(await subscribe.follow(wallet, sent, QUICK)).toBeUndefined()
  })

  it('tells the permission that remains where the rest of it failed', async () => {
    const { wallet, provider: own } = injected(alice)
    const sent = await kept((onProgress) => subscribe.send(wallet, { ...QUICK, onProgress }))
    const waiting = () => client.getTransactionCount({ address: provider, blockTag: 'pending' })
    const before = await waiting()
    const cancelling = protocol.send(provider, 'cancelSubscription', [weekly])
    await expect.poll(waiting, { timeout: 10_000 }).toBe(before + 1)
    await client.setAutomine(true)
    await client.mine({ blocks: 1 })
    await Promise.all([cancelling, own.carriedOut()])
    expect(await failureOf(subscribe.follow(wallet, sent, QUICK))).toMatchObject({
      code: 'TRANSACTION_REVERTED',
      allowanceRemains: { token: usdc, spender: chain.contract, amountRaw: 122_857_142n },
    })
  })

  it('that was replaced before anybody looked is known by its nonce', async () => {
    const cancel = flows.cancelSubscription({ id: weekly.id })
    const { wallet } = injected(provider)
    const sent = await kept((onProgress) => cancel.send(wallet, { ...QUICK, onProgress }))
    if (sent.hash === null) throw new Error('It has no hash')
    const { nonce, maxFeePerGas = 0n } = await client.getTransaction({ hash: sent.hash })
    const price = { maxFeePerGas: maxFeePerGas * 2n, maxPriorityFeePerGas: maxFeePerGas * 2n }
    await client.sendTransaction({
      account: provider,
      chain: null,
      nonce,
      to: provider,
      gas: 500_000n,
      ...price,
    })
    await client.mine({ blocks: 1 })
    const failure = await failureOf(cancel.follow(wallet, { ...sent, nonce }, QUICK))
    expect(failure).toMatchObject({ code: 'TRANSACTION_REPLACED', how: 'cancelled' })
  })

  it('is still pending where its time is up', async () => {
    const cancel = flows.cancelSubscription({ id: weekly.id })
    const { wallet } = injected(provider)
    const sent = await kept((onProgress) => cancel.send(wallet, { ...QUICK, onProgress }))
    const failure = await failureOf(cancel.follow(wallet, sent, { ...QUICK, timeoutMs: 500 }))
    expect(failure).toMatchObject({ code: 'STILL_PENDING', sent: [{ hash: sent.hash, status: 'pending' }] })
  })

  it('takes its room in the budget of the program that follows it', async () => {
    const twin = await protocol.create()
    await protocol.fund(usdc, alice, { allowance: 500_000_000n })
    await service.caughtUp()
    const { wallet } = injected(alice)
    const sent = await kept((onProgress) => subscribe.send(wallet, { ...QUICK, onProgress }))
    const within = flowsOver(api, { budget: [{ token: usdc, perMonthRaw: 43_481_250n }] })
    const following = within.subscribe({ id: weekly.id }).follow(wallet, sent, QUICK)
    const other = within.subscribe({ id: twin.id }).send(injected(alice).wallet, QUICK)
    await expect(other).rejects.toThrow(OverBudgetError)
    await client.mine({ blocks: 1 })
    expect(await following).toMatchObject({ subscriptionId: weekly.id })
  })

  it('tells by a remit what is left now, not what was to be left then', async () => {
    await protocol.join(weekly, alice)
    await chain.advanceDays(8)
    await service.caughtUp()
    const remit = flows.remit()
    const { wallet } = injected(keeper)
    const sent = await kept((onProgress) => remit.send(wallet, { ...QUICK, onProgress }))
    await client.setAutomine(true)
    await client.mine({ blocks: 1 })
    expect(await remit.follow(wallet, sent, QUICK)).toMatchObject({ paid: 1, remaining: 0 })
  })
})
