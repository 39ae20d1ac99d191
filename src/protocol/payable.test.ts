import { maxUint256 } from 'viem'
import { describe, expect, it } from 'vitest'
import { largestPayable } from './payable.ts'

describe.each([6, 17, 18, 19, 20, 24, 60])('in a token of %i decimals', (decimals) => {
  it.each([10_000n, 10_833n])(
    'and with a caller fee of %s, one more than the largest payable amount overflows',
    (callerFee) => {
      const factor = decimals > 18 ? 10n ** BigInt(decimals - 18) : 1n
      const fits = (amount: bigint) => amount * callerFee <= maxUint256 && amount * factor <= maxUint256
      const most = largestPayable({ callerFee, decimals })
      expect([fits(most), fits(most + 1n)]).toEqual([true, false])
    },
  )
})
