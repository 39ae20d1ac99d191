import { StubbornAllowanceToken } from '@remit/contracts/StubbornAllowanceToken'
import { largestPayable } from '@remit/protocol/largestPayable'
import { FREQUENCIES } from '@remit/protocol/subscription'
import { maxUint256 } from 'viem'
import { describe, expect, it } from 'vitest'
import { approvedToken } from '../support/chain/approvedToken.ts'
import { protocolOn } from '../support/chain/protocolOn.ts'
import { useTestChain } from '../support/chain/useTestChain.ts'

const chain = await useTestChain()
const protocol = protocolOn(chain)
const { admin, alice } = chain.wallets
const OVERFLOW = 'Panic(17)'

describe.each([6, 18, 20, 24, 60])('in a token of %i decimals', (decimals) => {
  it.each([10_000n, 10_200n, 10_833n])(
    'and with a caller fee of %s, the largest payable amount can be subscribed to and one more cannot',
    async (callerFee) => {
      const token = await approvedToken(chain, StubbornAllowanceToken, { decimals, minimum: 0n })
      await protocol.send(admin, 'changeCallerFee', [callerFee])
      const most = largestPayable({ callerFee, decimals })
      await protocol.fund(token, alice, { balance: maxUint256, allowance: maxUint256 })
      for (const frequency of FREQUENCIES) {
        const payable = await protocol.create({ token, amount: most, frequency, dueDay: 5 })
        expect(await protocol.reverts(alice, 'subscribe', [payable])).toBeUndefined()
        const unpayable = await protocol.create({ token, amount: most + 1n, frequency, dueDay: 5 })
        expect(await protocol.reverts(alice, 'subscribe', [unpayable])).toBe(OVERFLOW)
      }
    },
  )
})

it('nothing is payable in a token whose decimals alone overflow', async () => {
  const decimals = 96
  const token = await approvedToken(chain, StubbornAllowanceToken, { decimals, minimum: 0n })
  expect(largestPayable({ callerFee: 10_200n, decimals })).toBe(0n)
  const subscription = await protocol.create({ token, amount: 1n })
  expect(await protocol.reverts(alice, 'subscribe', [subscription])).toBe(OVERFLOW)
})
