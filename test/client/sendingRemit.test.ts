import { beforeEach, describe, expect, it } from 'vitest'
import { units } from '../support/chain/protocolOn.ts'
import { localWallet, QUICK, SIGNERS, useSendingGround } from './sendingGround.ts'

const ground = await useSendingGround()
const { chain, protocol, service, flows, weekly, injected } = ground
const { alice, bob, carol, keeper, stranger, provider, otherProvider } = chain.wallets
const { usdc, dai } = chain.tokens
const wallet = localWallet(chain, SIGNERS.keeper)

// Wednesday: two pay, one is dropped. Thursday: one pays in another token.
await protocol.join(weekly, alice)
await protocol.join(weekly, bob)
await protocol.join(weekly, carol, { allowance: 10_000_000n })
const thursdays = await protocol.create({
  provider: otherProvider,
  token: dai,
  dueDay: 4,
  amount: units('7'),
})
await protocol.join(thursdays, alice)
await chain.advanceDays(3)
await chain.keep()

beforeEach(() => service.caughtUp())

describe('remit', () => {
  it('collects one day, and reports what the caller earned and what is left', async () => {
    const before = await protocol.balanceOf(usdc, keeper)
    const outcome = await flows.remit().send(wallet, QUICK)
    const earned = (await protocol.balanceOf(usdc, keeper)) - before
    expect(earned).toBeGreaterThan(0n)
    expect(outcome).toMatchObject({
      status: 'success',
      feesEarned: [{ token: usdc, amountRaw: earned, tokenDecimals: 6 }],
      paid: 2,
      dropped: 1,
      remaining: 1,
      transactions: [{ functions: ['remit'] }],
    })
    // Monday and Tuesday were empty, and went by in the same transaction.
    expect(outcome.finishedDays.at(-1)).toBe(Math.floor((await chain.now()) / 86_400) - 1)
    expect(
      outcome.events.filter((event) => event.event === 'SubLog' && event.eventName === 'Failed'),
    ).toMatchObject([{ args: { subscriber: carol } }])
  })

  it('does not count a refund to the caller as a fee', async () => {
    const asProvider = localWallet(chain, SIGNERS.provider)
    const before = await protocol.balanceOf(usdc, provider)
    const outcome = await flows.remit().send(asProvider, QUICK)
    const [fee] = outcome.feesEarned
    // The dropped subscriber's fee balance goes to the provider, who is the caller here.
    const refund = outcome.events.find(
      (event) => event.event === 'SubLog' && event.eventName === 'ProviderRefunded',
    )
    const refunded = refund?.event === 'SubLog' ? (refund.amountRaw ?? 0n) : 0n
    const paid = outcome.events.reduce(
      (sum, event) =>
        event.event === 'SubLog' && event.eventName === 'ProviderPaid' ? sum + (event.amountRaw ?? 0n) : sum,
      0n,
    )
    expect(refunded).toBeGreaterThan(0n)
    expect(fee?.amountRaw).toBe((await protocol.balanceOf(usdc, provider)) - before - refunded - paid)
  })

  it('repeats until it has caught up, one transaction at a time', async () => {
    const outcomes = []
    for await (const outcome of flows.remit().sendAll(wallet, QUICK)) outcomes.push(outcome)
    expect(outcomes.map(({ paid, dropped, remaining }) => ({ paid, dropped, remaining }))).toEqual([
      { paid: 2, dropped: 1, remaining: 1 },
      { paid: 1, dropped: 0, remaining: 0 },
    ])
    expect(outcomes[1]?.feesEarned).toMatchObject([{ token: dai, tokenDecimals: 18 }])
    const again = []
    for await (const outcome of flows.remit().sendAll(wallet, QUICK)) again.push(outcome)
    expect(again).toEqual([])
  })

  it('signs nothing if somebody else was faster, and goes on', async () => {
    let isTaken = false
    const { wallet: browser, signatures } = injected(keeper, {
      // Both days are collected after it was prepared and before it is signed.
      around: async ({ method }, go) => {
        if (method === 'eth_estimateGas' && !isTaken) {
          isTaken = true
          await protocol.send(stranger, 'remit', [])
          await protocol.send(stranger, 'remit', [])
        }
        return go()
      },
    })
    const outcomes = []
    for await (const outcome of flows.remit().sendAll(browser, QUICK)) outcomes.push(outcome)
    expect({ isTaken, outcomes }).toEqual({ isTaken: true, outcomes: [] })
    expect(signatures()).toEqual([])
  })

  it('ends when its caller aborts', async () => {
    const abort = new AbortController()
    const outcomes: unknown[] = []
    const all = flows.remit().sendAll(wallet, { ...QUICK, signal: abort.signal })
    await expect(async () => {
      for await (const outcome of all) {
        outcomes.push(outcome)
        abort.abort(new Error('enough'))
      }
    }).rejects.toThrow('enough')
    expect(outcomes).toHaveLength(1)
  })
})
