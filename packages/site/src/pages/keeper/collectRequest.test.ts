import type { PrepareRemitAnswer } from '@remit/client'
import { textOf } from '@remit/testing/support/browser/textOf'
import { describe, expect, it } from 'vitest'
import { collectRequest } from './collectRequest.tsx'

const from = '0x00000000000000000000000000000000000000aa'
const contract = '0x00000000000000000000000000000000000000cc'
const usdc = { symbol: 'USDC', address: '0xe7f1725E7734CE288F8367e1Bb143E90bb3F0512' }
const change = (amount: string, account = from) => ({
  account,
  token: usdc,
  amount,
  amountRaw: BigInt(amount) * 1_000_000n,
})

const told = (
  balanceChanges: readonly object[],
  method = 'eth_simulateV1',
  events: readonly object[] = [],
) => {
  // Safe: it is all that the review is made of.
  const prepared = {
    warnings: [],
    unsignedTransactions: [{ from, to: contract }],
    simulation: { method, balanceChanges, calls: [{ events }] },
  } as unknown as PrepareRemitAnswer
  return textOf(collectRequest([]).review(prepared))
}

describe('what somebody sees before they collect', () => {
  it('is the fee that they get', () => {
    expect(told([change('2'), change('-9', '0x00000000000000000000000000000000000000bb')])).toMatch(
      /You get now, for collecting2 USDC$/,
    )
  })

  it('is each token by itself, where they get several', () => {
    const dai = { symbol: 'DAI', address: '0x9fE46736679d2D9a65F0992F2272dE9f3c7fa6e0' }
    expect(told([change('2'), { ...change('3'), token: dai }])).toMatch(
      /You get now, for collecting, in USDC2 USDCYou get now, for collecting, in DAI3 DAI$/,
    )
  })

  it('is what leaves their own wallet, where it pays more than it gets', () => {
    expect(told([change('-9')])).toMatch(
      /You get nownothingYour wallet pays for its own subscriptions, beyond what it earns9 USDC$/,
    )
  })

  it('is what they get as the provider, and for collecting, each by itself', () => {
    const member = '0x00000000000000000000000000000000000000bb'
    const transfer = (sender: string, amountRaw: bigint) => ({
      event: 'Transfer',
      address: usdc.address,
      args: { from: sender, to: from },
      amountRaw,
    })
    const events = [
      transfer(member, 15_000_000n),
      { event: 'SubLog', eventName: 'ProviderRefunded', address: contract, args: {} },
      transfer(contract, 1_000_000n),
      { event: 'SubLog', eventName: 'ProviderPaid', address: contract, args: {} },
      transfer(contract, 300_000n),
    ]
    expect(told([{ ...change('16'), tokenDecimals: 6 }], 'eth_simulateV1', events)).toMatch(
      /To you as the provider, by payments15 USDCTo you, left of the reserves of those who fail1 USDCTo you for collecting0\.30 USDC$/,
    )
  })

  it.each(['eth_call', 'partial'])('is not nothing where %s has not shown all that changes', (method) => {
    expect(told([], method)).toMatch(/You get nowIt could be tried out only in part\.$/)
    expect(told([])).toMatch(/You get now, for collectingnothing$/)
  })
})
