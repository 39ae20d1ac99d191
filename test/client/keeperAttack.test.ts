import { parseEther } from 'viem'
import { expect, it } from 'vitest'
import { PAYS, useKeeperGround } from './keeperGround.ts'
import { multiplied } from './keeperLies.ts'

const { keep, faulty } = await useKeeperGround([3, 4, 5])

it('loses only the gas of three remits to a service that multiplies gains, gas and fees', async () => {
  faulty.tell(multiplied)
  const { code, sent, paidWei, earnedRaw, output } = await keep(PAYS)
  expect(code, output).toBe(0)
  expect(sent).toBe(3)
  expect(earnedRaw).toBe(1_200_000n)
  expect(paidWei).toBeLessThan(parseEther('0.003'))
})
