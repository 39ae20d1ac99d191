import { describeLogs } from '@remit/testing/support/chain/describeLogs'
import { DETAILS, Frequency, protocolOn, units } from '@remit/testing/support/chain/protocolOn'
import { useTestChain } from '@remit/testing/support/chain/useTestChain'
import { encodeFunctionData, encodePacked, type Hex, keccak256, slice, zeroAddress } from 'viem'
import { describe, expect, test } from 'vitest'

const chain = await useTestChain()
const protocol = protocolOn(chain)
const { admin, provider, otherProvider, alice } = chain.wallets
const { usdc } = chain.tokens

describe('createSubscription', () => {
  const reverts = (amount: bigint, token: Hex, frequency: Frequency, dueDay: number) =>
    protocol.reverts(provider, 'createSubscription', [amount, token, DETAILS, frequency, dueDay])

  test('refuses the zero address as token with "4", before everything else', async () => {
    expect(await reverts(0n, zeroAddress, Frequency.WEEKLY, 0)).toBe('4')
  })

  test('refuses a token that is not approved with "5"', async () => {
    expect(await reverts(0n, alice, Frequency.WEEKLY, 0)).toBe('5')
  })

  test('refuses a paused token with "20", before it looks at the due day', async () => {
    await protocol.send(admin, 'pauseToken', [usdc, true])
    expect(await reverts(0n, usdc, Frequency.WEEKLY, 0)).toBe('20')
    await protocol.send(admin, 'pauseToken', [usdc, false])
    expect(await reverts(units('10'), usdc, Frequency.WEEKLY, 1)).toBeUndefined()
  })

  test.each([
    ['14', 'weekly', Frequency.WEEKLY, 7],
    ['15', 'monthly', Frequency.MONTHLY, 28],
    ['16', 'quarterly', Frequency.QUARTERLY, 90],
    ['17', 'yearly', Frequency.YEARLY, 365],
  ])(
    'refuses with "%s" a %s due day out of range, before it looks at the amount',
    async (code, _, frequency, last) => {
      for (const dueDay of [0, last + 1, 65_535])
        expect(await reverts(0n, usdc, frequency, dueDay)).toBe(code)
      for (const dueDay of [1, last])
        expect(await reverts(units('10'), usdc, frequency, dueDay)).toBeUndefined()
    },
  )

  test('refuses an amount below the minimum of the token with "18", and takes the minimum itself', async () => {
    const minimum = 10n ** 16n
    expect(await reverts(minimum - 1n, usdc, Frequency.WEEKLY, 1)).toBe('18')
    expect(await reverts(minimum, usdc, Frequency.WEEKLY, 1)).toBeUndefined()
  })

  test('reverts without data for a frequency that the enum does not have', async () => {
    const { abi, address } = protocol
    const args = [units('10'), usdc, DETAILS, Frequency.YEARLY, 1] as const
    const data = encodeFunctionData({ abi, functionName: 'createSubscription', args })
    // The fourth of five words after the selector.
    const wrong =
      `${slice(data, 0, 4 + 3 * 32)}${'4'.padStart(64, '0')}${slice(data, 4 + 4 * 32).slice(2)}` as const
    await expect(chain.client.call({ account: provider, to: address, data: wrong })).rejects.toThrow(
      /execution reverted(?!: )/,
    )
  })

  test('records the terms under the id of creator, own nonce and block time', async () => {
    const first = await protocol.create({ amount: units('2.5'), frequency: Frequency.YEARLY, dueDay: 365 })
    const firstAt = await chain.now()
    const second = await protocol.create()
    const secondAt = await chain.now()
    const others = await protocol.create({ provider: otherProvider })
    const othersAt = await chain.now()
    expect([first.id, second.id, others.id]).toEqual([
      idOf(provider, 0n, firstAt),
      idOf(provider, 1n, secondAt),
      idOf(otherProvider, 0n, othersAt),
    ])
    expect(await protocol.read('idSubMap', [first.id])).toEqual([
      first.id,
      units('2.5'),
      provider,
      usdc,
      false,
      Frequency.YEARLY,
      365,
    ])
  })

  test('does not count a refused attempt', async () => {
    await protocol.create()
    expect(await reverts(0n, usdc, Frequency.WEEKLY, 1)).toBe('18')
    const { id } = await protocol.create()
    expect(id).toBe(idOf(provider, 1n, await chain.now()))
  })

  test('logs the details, then the creation without a subscriber', async () => {
    const args = [units('10'), usdc, DETAILS, Frequency.WEEKLY, 3] as const
    const logs = await protocol.send(provider, 'createSubscription', args)
    expect(describeLogs(chain, logs)).toEqual([
      'DetailsLog https://provider.example/plan A plan',
      'CREATE nobody 10',
    ])
  })

  test('accepts an amount with digits that the token cannot carry', async () => {
    const { id } = await protocol.create({ amount: units('10') + 1n })
    expect((await protocol.read('idSubMap', [id]))[1]).toBe(units('10') + 1n)
  })

  test('lists the subscription with its creator, and on no day before somebody subscribes', async () => {
    const subscription = await protocol.create()
    const { provider: creator, ...rest } = subscription
    expect(await protocol.read('getAccountSubscriptions', [false, creator])).toEqual([
      { subscription: { ...rest, provider: creator }, status: 0, totalSubscribers: 0n },
    ])
    expect(await protocol.read('getAccountSubscriptions', [true, creator])).toEqual([])
    expect(await protocol.read('getIdByTime', [BigInt(Frequency.WEEKLY), 3])).toEqual([])
  })

  test('counts a creator once among the accounts that ever took part', async () => {
    await protocol.create()
    await protocol.create()
    expect(await protocol.read('getTotalSubscribers', [])).toBe(1n)
  })

  test('moves no money', async () => {
    const args = [units('10'), usdc, DETAILS, Frequency.WEEKLY, 3] as const
    const logs = await protocol.send(provider, 'createSubscription', args)
    expect(logs.filter(({ address }) => address.toLowerCase() === usdc.toLowerCase())).toEqual([])
  })
})

function idOf(creator: Hex, nonce: bigint, timestamp: number) {
  return keccak256(encodePacked(['address', 'uint256', 'uint256'], [creator, nonce, BigInt(timestamp)]))
}
