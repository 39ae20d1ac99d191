import { describe, expect, it } from 'vitest'
import { decideCharge, judgeCharge } from './decideCharge.ts'

const usdc = 10n ** 12n // one raw unit of a token with 6 decimals, in protocol units
const fees = { decimals: 6, callerFee: 10_200n }
const UNLIMITED = { allowance: null, balance: null }
/** 12 tokens a month, of which 2 percent are a fee. */
const AMOUNT = 12_000_000n * usdc
const FEE = 240_000n * usdc

describe('a charge', () => {
  it('is paid where allowance and balance hold a full period, to the unit', () => {
    expect(judgeCharge(10n, { allowance: 10n, balance: 10n })).toEqual({ kind: 'pays' })
    expect(judgeCharge(10n, UNLIMITED)).toEqual({ kind: 'pays' })
  })

  it('fails by what is missing, and says of which', () => {
    const missing = (allowance: bigint, balance: bigint) => ({ missing: { allowance, balance } })
    const fails = { kind: 'fails' }
    expect(judgeCharge(10n, { allowance: 9n, balance: null })).toEqual({
      ...fails,
      reason: 'allowance',
      ...missing(1n, 0n),
    })
    expect(judgeCharge(10n, { allowance: null, balance: 8n })).toEqual({
      ...fails,
      reason: 'balance',
      ...missing(0n, 2n),
    })
    expect(judgeCharge(10n, { allowance: 0n, balance: 9n })).toEqual({
      ...fails,
      reason: 'both',
      ...missing(10n, 1n),
    })
  })

  it('moves nothing where it fails', () => {
    const means = { allowance: 11_999_999n, balance: null }
    const decision = decideCharge({ amount: AMOUNT, frequency: 1, feeBalance: 7n }, fees, means)
    expect(decision).toMatchObject({ isFeeFill: false, toFeeBalance: 0n, toProvider: 0n, feeBalance: 7n })
    expect(decision.verdict).toMatchObject({ kind: 'fails', reason: 'allowance' })
  })

  it('goes to the provider whole where the fee balance holds more than one fee', () => {
    const charged = { amount: AMOUNT, frequency: 1, feeBalance: FEE + 1n } as const
    expect(decideCharge(charged, fees, UNLIMITED)).toEqual({
      verdict: { kind: 'pays' },
      isFeeFill: false,
      toFeeBalance: 0n,
      toProvider: 12_000_000n,
      feeBalance: 1n,
    })
  })

  it.each([
    [0, 12_000_000n, 0n],
    [1, 3_000_000n, 9_000_000n],
    [2, 1_000_000n, 11_000_000n],
    [3, 1_000_000n, 11_000_000n],
  ] as const)('of frequency %i fills a fee balance of one fee with its part', (frequency, fill, rest) => {
    const charged = { amount: AMOUNT, frequency, feeBalance: FEE }
    expect(decideCharge(charged, fees, UNLIMITED)).toEqual({
      verdict: { kind: 'pays' },
      isFeeFill: true,
      toFeeBalance: fill,
      toProvider: rest,
      feeBalance: fill * usdc,
    })
  })
})
