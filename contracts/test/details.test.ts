import { zeroHash } from 'viem'
import { describe, expect, test } from 'vitest'
import { describeLogs } from '../../test/support/chain/describeLogs.ts'
import { protocolOn } from '../../test/support/chain/protocolOn.ts'
import { useTestChain } from '../../test/support/chain/useTestChain.ts'

const chain = await useTestChain()
const protocol = protocolOn(chain)
const { stranger } = chain.wallets

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
