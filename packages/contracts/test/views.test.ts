import { describeLogs } from '@remit/testing/support/chain/describeLogs'
import { protocolOn, units } from '@remit/testing/support/chain/protocolOn'
import { useTestChain } from '@remit/testing/support/chain/useTestChain'
import { zeroAddress, zeroHash } from 'viem'
import { describe, expect, test } from 'vitest'

const chain = await useTestChain()
const protocol = protocolOn(chain)
const { alice, stranger } = chain.wallets

describe('the views', () => {
  test('read zeros for what does not exist', async () => {
    const nobody = [zeroHash, 0n, zeroAddress, zeroAddress, false, 0, 0]
    expect(await protocol.read('idSubMap', [zeroHash])).toEqual(nobody)
    expect(await protocol.read('approvedERC20', [alice])).toEqual([zeroAddress, 0, false, 0n])
    expect(await protocol.read('feeBalance', [zeroHash, alice])).toBe(0n)
    expect(await protocol.read('getSubscribersById', [zeroHash])).toEqual([])
    expect(await protocol.read('getUnsubscribedLength', [zeroHash])).toBe(0n)
    expect(await protocol.read('getIdByTime', [9n, 999])).toEqual([])
  })

  test('getAccount echoes any address, in the order of getAccountSubscriptions', async () => {
    expect(await protocol.read('getAccount', [stranger])).toEqual({
      accountAddress: stranger,
      subscriptions: [],
      provSubs: [],
    })
    const created = [await protocol.create(), await protocol.create({ frequency: 3, dueDay: 200 })]
    for (const subscription of created.toReversed()) await protocol.join(subscription, alice)
    const index = created.map(({ id, dueDay, frequency }) => ({ id, dueDay, frequency, status: 0 }))
    const { provSubs } = await protocol.read('getAccount', [created[0]?.provider ?? zeroAddress])
    expect(provSubs).toEqual(index)
    const { subscriptions } = await protocol.read('getAccount', [alice])
    expect(subscriptions).toEqual(index.toReversed())
  })

  test('getTotalSubscribers counts every account that created or subscribed, once and for good', async () => {
    const subscription = await protocol.create({ amount: units('1') })
    await protocol.join(subscription, alice)
    await protocol.send(alice, 'unsubscribe', [subscription])
    await protocol.send(stranger, 'unsubscribe', [subscription])
    expect(await protocol.read('getTotalSubscribers', [])).toBe(2n)
  })
})

describe('editDetails', () => {
  const details = { url: 'https://new.example', description: 'New words' }

  test('logs the new details of the own subscription', async () => {
    const { id, provider } = await protocol.create()
    const logs = await protocol.send(provider, 'editDetails', [details, id])
    expect(describeLogs(chain, logs)).toEqual(['DetailsLog https://new.example New words'])
  })

  test("does nothing, and does not revert, for another's subscription or an unknown id", async () => {
    const { id, provider } = await protocol.create()
    expect(await protocol.send(stranger, 'editDetails', [details, id])).toEqual([])
    expect(await protocol.send(provider, 'editDetails', [details, zeroHash])).toEqual([])
  })

  test('works on a cancelled subscription too', async () => {
    const subscription = await protocol.create()
    await protocol.send(subscription.provider, 'cancelSubscription', [subscription])
    expect(
      await protocol.send(subscription.provider, 'editDetails', [details, subscription.id]),
    ).toHaveLength(1)
  })
})

test('editProvDetails logs the profile of anybody', async () => {
  const profile = { description: 'd', company: 'Company', url: 'u', domain: 'x', email: 'e', misc: 'm' }
  const logs = await protocol.send(stranger, 'editProvDetails', [profile])
  expect(describeLogs(chain, logs)).toEqual(['ProvDetailsLog Company'])
  expect(logs[0]?.topics[1]?.slice(-40)).toBe(stranger.slice(2).toLowerCase())
})
