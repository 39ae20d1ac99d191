import { Subscriptions } from '@remit/contracts/Subscriptions'
import { callOf, mineBlock } from '@remit/devchain/testing/chain/block'
import { expect, it } from 'vitest'
import { DETAILS, units } from '../../support/chain/protocolOn.ts'
import { readingGroundOn } from '../../support/chain/useReadingGround.ts'
import { describeGeth } from '../../support/geth/describeGeth.ts'
import type { Faults } from '../../support/nodes/countingProxy.ts'

/** Each takes 288 bytes in an answer, so that all of them are more than a creation returns at once. */
const CREATED = 120

describeGeth('a geth, which runs code that is lent to a call', async (chain) => {
  const ground = await readingGroundOn(chain)
  const { proxy, client, wallets, tokens, chainId } = ground
  const contract = { address: ground.contract, abi: Subscriptions.abi }
  const dueDays = Array.from({ length: CREATED }, (_, index) => (index % 90) + 1)
  const create = (day: number) =>
    callOf(
      wallets.provider,
      contract,
      'createSubscription',
      [units('1'), tokens.usdc, DETAILS, 2, day],
      450_000n,
    )
  // Each in half of a block.
  for (const half of [dueDays.slice(0, CREATED / 2), dueDays.slice(CREATED / 2)]) {
    await mineBlock(client, half.map(create))
  }
  await ground.keep()

  it.each<[string, Faults, number]>([
    ['in one request, where its code is laid over an address', {}, 1],
    ['in parts, where the same code runs in a creation', { overrides: 'refused' }, 4],
    ['by number, where hashes are refused', { hashPins: 'refused' }, 2],
    ['in parts, by number', { overrides: 'refused', hashPins: 'refused' }, 5],
  ])('is read %s', async (_, faults, most) => {
    const chains = ground.open()
    await chains.withView(chainId, {}, async () => {})
    proxy.reset()
    proxy.fail(faults)
    const { created } = await chains.withView(chainId, {}, ({ read }) => read.account(wallets.provider))
    expect(created.map(({ terms }) => terms.dueDay)).toEqual(dueDays)
    expect(proxy.requests).toBeLessThanOrEqual(most)
  })

  it('is put together from pages if it gives little gas', async () => {
    proxy.fail({ callGas: 4_000_000 })
    await ground.view(async ({ read }) => {
      const { created } = await read.account(wallets.provider)
      expect(created.map(({ terms }) => terms.dueDay)).toEqual(dueDays)
      expect(proxy.requests).toBeGreaterThan(1)
    })
  })
})
