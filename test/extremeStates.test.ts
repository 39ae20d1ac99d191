import { createClient } from '@remit/client'
import { StubbornAllowanceToken } from '@remit/contracts/StubbornAllowanceToken'
import { maxUint256 } from 'viem'
import { expect, it } from 'vitest'
import { approvedToken } from './support/chain/approvedToken.ts'
import { protocolOn } from './support/chain/protocolOn.ts'
import { useTestChain } from './support/chain/useTestChain.ts'
import { indexed } from './support/service/indexed.ts'
import { useTestService } from './support/service/testService.ts'

// States at the ends of their types, which strangers and the administrator can bring about: no answer may break on them.

const chain = await useTestChain()
const protocol = protocolOn(chain)
const { admin, provider, alice, bob } = chain.wallets
const tokens = await Promise.all(
  [27, 255].map((decimals) => approvedToken(chain, StubbornAllowanceToken, { decimals })),
)
await chain.keep()
const service = await useTestService([chain])

// It can never be paid, and in tokens of more than 18 decimals its smallest units are more than a uint256 holds.
it.each(tokens)(
  'a subscription of the largest amount is answered wherever it is read (%s)',
  async (token) => {
    const { id } = await protocol.create({ token, amount: maxUint256 })
    await service.caughtUp()
    await indexed(service, chain)
    const paths = [
      '/subscriptions',
      `/subscriptions/${id}`,
      `/subscriptions/${id}/history`,
      `/accounts/${provider}`,
      `/accounts/${provider}/subscriptions`,
      `/accounts/${provider}/activity`,
      `/providers/${provider}`,
      '/approved-tokens',
      '/events',
    ]
    for (const path of paths) expect([path, (await service.get(path)).status]).toEqual([path, 200])
    const posts: [string, object, number][] = [
      ['/check_subscribe_readiness_by_id', { from: alice, id }, 200],
      ['/prepare/subscribe_by_id', { from: alice, id }, 422],
      ['/prepare/edit_details', { from: provider, id, details: { url: '', description: 'Dear' } }, 200],
      ['/prepare/cancel_subscription_by_id', { from: provider, id }, 200],
    ]
    for (const [path, body, status] of posts) {
      expect([path, (await service.post(path, body)).status]).toEqual([path, status])
    }
    const client = createClient({ url: service.url })
    const { subscription } = await client.getSubscription({ id })
    expect(subscription.amountRaw).toBe(maxUint256 * 10n ** BigInt(subscription.tokenDecimals - 18))
  },
)

it('a contract that is set beyond the year 9999 is called by name, and prepares nothing that fails', async () => {
  const { id } = await protocol.create()
  await protocol.join(await protocol.create(), alice)
  await protocol.fund(chain.tokens.usdc, bob, { balance: 10n ** 9n })
  await protocol.send(admin, 'setNextUncheckedDay', [2 ** 40 - 1])
  const minBlock = await chain.client.getBlockNumber()
  const ask = (path: string, body?: object) => {
    const at = `${path}?minBlock=${minBlock}`
    return body === undefined ? service.get(at) : service.post(at, body)
  }
  const stuck: [string, object?][] = [
    ['/protocol/state'],
    [`/accounts/${alice}/outlook`],
    ['/check_remit_readiness', { from: bob }],
    ['/prepare/remit', { from: bob }],
  ]
  for (const [path, body] of stuck) {
    const { status, body: answer } = await ask(path, body)
    expect([path, status, answer]).toMatchObject([
      path,
      502,
      {
        code: 'UPSTREAM_ERROR',
        dayNumber: 2 ** 40 - 1,
        error: expect.stringContaining('after the year 9999'),
      },
    ])
  }
  const fine: [string, object?][] = [
    [`/subscriptions/${id}`],
    [`/accounts/${alice}`],
    ['/check_subscribe_readiness_by_id', { from: bob, id }],
    ['/prepare/subscribe_by_id', { from: bob, id }],
  ]
  for (const [path, body] of fine) expect([path, (await ask(path, body)).status]).toEqual([path, 200])
})
