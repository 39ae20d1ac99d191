import { maxUint256 } from 'viem'
import { describe, expect, it } from 'vitest'
import { TokenBalances } from './remitState.ts'

const token = '0x00000000000000000000000000000000000000C3'
const payer = '0x00000000000000000000000000000000000000B2'
const provider = '0x00000000000000000000000000000000000000A1'
const stranger = '0x00000000000000000000000000000000000000D4'

const balances = (allowance = 10n) =>
  new TokenBalances([
    { token, account: payer, balance: 10n, allowance },
    { token, account: provider, balance: 1n, allowance: 0n },
  ])

describe('TokenBalances', () => {
  it('moves balances and spends the allowance', () => {
    const funds = balances()
    expect(funds.transferByAllowance({ token, from: payer, to: provider, amountRaw: 4n })).toBe(true)
    expect(funds.find(token, payer)).toEqual({ balance: 6n, allowance: 6n })
    expect(funds.find(token, provider)).toEqual({ balance: 5n, allowance: 0n })
  })

  it('moves nothing that the sender does not hold or has not allowed', () => {
    const funds = balances(3n)
    expect(funds.transferByAllowance({ token, from: payer, to: provider, amountRaw: 4n })).toBe(false)
    expect(funds.transfer({ token, from: payer, to: provider, amountRaw: 11n })).toBe(false)
    expect(funds.find(token, payer)).toEqual({ balance: 10n, allowance: 3n })
    expect(funds.find(token, provider)).toEqual({ balance: 1n, allowance: 0n })
  })

  it('leaves the largest allowance as it is', () => {
    const funds = balances(maxUint256)
    funds.transferByAllowance({ token, from: payer, to: provider, amountRaw: 4n })
    expect(funds.find(token, payer)).toEqual({ balance: 6n, allowance: maxUint256 })
  })

  it('lets accounts that it does not know pay and receive anything', () => {
    const funds = balances()
    expect(funds.transfer({ token, from: stranger, to: payer, amountRaw: 100n })).toBe(true)
    expect(funds.find(token, payer)?.balance).toBe(110n)
    expect(funds.transfer({ token, from: payer, to: stranger, amountRaw: 110n })).toBe(true)
    expect(funds.find(token, stranger)).toBeUndefined()
  })

  it('knows an address in any case, and each token by itself', () => {
    const funds = balances()
    expect(funds.find('0x00000000000000000000000000000000000000c3', payer)?.balance).toBe(10n)
    expect(funds.find(stranger, payer)).toBeUndefined()
  })
})
