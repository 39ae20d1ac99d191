import { describeLogs } from '@remit/testing/support/chain/describeLogs'
import { protocolOn, type Subscription, tupleOf, units } from '@remit/testing/support/chain/protocolOn'
import { useTestChain } from '@remit/testing/support/chain/useTestChain'
import { encodeFunctionData, keccak256, slice, toHex, zeroHash } from 'viem'
import { beforeEach, describe, expect, test } from 'vitest'

const chain = await useTestChain({ terms: { cancelLimit: 2n } })
const protocol = protocolOn(chain)
const { admin, provider, alice, bob, carol, stranger, keeper, janitor } = chain.wallets
const { usdc, dai } = chain.tokens
const JANITOR_ROLE = keccak256(toHex('JANITOR_ROLE'))

/** 7 USDC on Wednesdays; each of the three has a fee balance of 2. */
let subscription: Subscription
beforeEach(async () => {
  subscription = await protocol.create({ amount: units('7'), dueDay: 3 })
  for (const account of [alice, bob, carol]) await protocol.join(subscription, account)
})
const cancel = () => protocol.send(provider, 'cancelSubscription', [subscription])
const checkpointAt = (id: Subscription['id']) =>
  protocol.send(admin, 'setPageStart', [
    { id, subscriberIndex: 1n, subscriptionIndex: 1n, frequency: 0n, initialized: true },
  ])

describe('cleanupCancelledSubscribers', () => {
  const reverts = (from = janitor, tuple = subscription) =>
    protocol.reverts(from, 'cleanupCancelledSubscribers', [tuple])
  const cleanUp = async (tuple = subscription) =>
    describeLogs(chain, await protocol.send(janitor, 'cleanupCancelledSubscribers', [tuple]))

  test('reverts without data for a tuple with an unknown frequency, before it asks who is calling', async () => {
    const { abi, address } = protocol
    const data = encodeFunctionData({
      abi,
      functionName: 'cleanupCancelledSubscribers',
      args: [subscription],
    })
    const wrong =
      `${slice(data, 0, 4 + 5 * 32)}${'4'.padStart(64, '0')}${slice(data, 4 + 6 * 32).slice(2)}` as const
    await expect(chain.client.call({ account: stranger, to: address, data: wrong })).rejects.toThrow(
      /execution reverted(?!: )/,
    )
  })

  test('refuses anybody without the role, admin included, with the error of AccessControl', async () => {
    for (const account of [admin, provider, stranger]) {
      expect(await reverts(account, tupleOf(zeroHash))).toBe(
        `AccessControlUnauthorizedAccount(${account},${JANITOR_ROLE})`,
      )
    }
  })

  test('refuses an id that does not exist with "3"', async () => {
    expect(await reverts(janitor, tupleOf(zeroHash))).toBe('3')
  })

  test('reverts without data where the subscription is not cancelled, whatever the tuple says', async () => {
    expect(await reverts(janitor, { ...subscription, cancelled: true })).toBe('empty')
  })

  test('refuses a subscription without subscribers with "22"', async () => {
    await cancel()
    await cleanUp()
    await cleanUp()
    expect(await reverts()).toBe('22')
  })

  test('refunds at most cancelLimit accounts, from the end of the set, with a log of the full period', async () => {
    await cancel()
    expect(await cleanUp()).toEqual([
      'UNSUBSCRIBED carol 7',
      'SUBREFUND carol 7',
      'Transfer contract→carol 2',
      'UNSUBSCRIBED bob 7',
      'SUBREFUND bob 7',
      'Transfer contract→bob 2',
    ])
    expect(await protocol.subscribersOf(subscription)).toEqual([alice])
    expect(await protocol.feeBalance(subscription, carol)).toBe(0n)
    const { subscriptions } = await protocol.read('getAccount', [carol])
    expect(subscriptions).toEqual([{ id: subscription.id, dueDay: 3, frequency: 0, status: 1 }])
    expect(await protocol.balanceOf(usdc, protocol.address)).toBe(2_000_000n)
  })

  test('keeps the share of the system, and sends the sum of it last, while it is on', async () => {
    await cancel()
    await protocol.send(admin, 'systemFeeActivate', [true])
    const lines = await cleanUp()
    expect(lines.filter((line) => line.startsWith('Transfer'))).toEqual([
      'Transfer contract→carol 1.8',
      'Transfer contract→bob 1.8',
      'Transfer contract→admin 0.4',
    ])
  })

  test('sends a share of 0 too', async () => {
    await cancel()
    await protocol.send(admin, 'changeSystemFee', [10_000n])
    await protocol.send(admin, 'systemFeeActivate', [true])
    expect((await cleanUp()).at(-1)).toBe('Transfer contract→admin 0')
  })

  test('believes the tuple about provider, amount and token', async () => {
    await cancel()
    const told = { ...subscription, provider: stranger, amount: units('1'), token: dai }
    // Somebody else's fee balance, in the token that the tuple names.
    await protocol.join(await protocol.create({ token: dai, amount: units('70') }), alice)
    const logs = await protocol.send(janitor, 'cleanupCancelledSubscribers', [told])
    expect(describeLogs(chain, logs).slice(0, 3)).toEqual([
      'UNSUBSCRIBED carol 1',
      'SUBREFUND carol 1',
      'Transfer contract→carol 2',
    ])
    expect(await protocol.balanceOf(dai, carol)).toBe(units('2'))
    expect(await protocol.balanceOf(usdc, protocol.address)).toBe(6_000_000n)
  })

  test('fails by the token where the tuple names one without code', async () => {
    await cancel()
    const told = { ...subscription, token: stranger }
    expect(await reverts(janitor, told)).toBe(`SafeERC20FailedOperation(${stranger})`)
  })

  test('takes a listed account out of the set silently, at the price of a turn, and leaves it on the list', async () => {
    await checkpointAt(subscription.id)
    await protocol.send(carol, 'unsubscribe', [subscription])
    await cancel()
    expect(await cleanUp()).toEqual(['UNSUBSCRIBED bob 7', 'SUBREFUND bob 7', 'Transfer contract→bob 2'])
    expect(await protocol.read('getUnsubscribedLength', [subscription.id])).toBe(1n)
    const [row] = await protocol.read('getAccountSubscriptions', [false, provider])
    expect(row?.totalSubscribers).toBe(1n)
  })

  test('runs on the checkpoint too', async () => {
    await checkpointAt(subscription.id)
    await cancel()
    expect(await reverts()).toBeUndefined()
  })
})

describe('cleanUnsubscribeList', () => {
  const reverts = (from = janitor, { id } = subscription) =>
    protocol.reverts(from, 'cleanUnsubscribeList', [id])

  test('refuses anybody without the role with the error of AccessControl', async () => {
    expect(await reverts(admin, tupleOf(zeroHash))).toBe(
      `AccessControlUnauthorizedAccount(${admin},${JANITOR_ROLE})`,
    )
  })

  test('refuses an id that does not exist with "3"', async () => {
    expect(await reverts(janitor, tupleOf(zeroHash))).toBe('3')
  })

  test('reverts without data at the checkpoint, before it looks at the list', async () => {
    await checkpointAt(subscription.id)
    expect(await reverts()).toBe('empty')
  })

  test('refuses an empty list with "22"', async () => {
    expect(await reverts()).toBe('22')
  })

  test('takes at most cancelLimit accounts from the end of the list, off set and list, without log or money', async () => {
    await checkpointAt(subscription.id)
    for (const account of [alice, stranger, carol])
      await protocol.send(account, 'unsubscribe', [subscription])
    await checkpointAt(zeroHash)
    expect(await protocol.send(janitor, 'cleanUnsubscribeList', [subscription.id])).toEqual([])
    expect(await protocol.read('getUnsubscribedLength', [subscription.id])).toBe(1n)
    // Carol and the stranger are gone; alice is still listed, and stands before bob in the set.
    expect(await protocol.reverts(keeper, 'getSubscribersById', [subscription.id])).toBe('Panic(50)')
    await protocol.send(janitor, 'cleanUnsubscribeList', [subscription.id])
    expect(await protocol.subscribersOf(subscription)).toEqual([bob])
    expect(await reverts()).toBe('22')
  })
})
