import { callOf, mineBlock } from '@remit/devchain/testing/chain/block'
import { Frequency, protocolOn, units } from '../support/chain/protocolOn.ts'
import type { TestChain } from '../support/chain/useTestChain.ts'

/**
 * Tells a life with every event that a history is made of: creations, details and profiles, subscribers who
 * come and go, remits that charge, fill and drop, a cancellation, and several logs of a kind in one block.
 */
export async function tellStory(chain: TestChain): Promise<void> {
  const { client, wallets, tokens } = chain
  const { provider, otherProvider, alice, bob, carol, keeper } = wallets
  const protocol = protocolOn(chain)
  const weekly = await protocol.create()
  const monthly = await protocol.create({
    provider: otherProvider,
    token: tokens.dai,
    amount: units('12.5'),
    frequency: Frequency.MONTHLY,
    dueDay: 5,
  })
  await protocol.join(weekly, alice)
  await protocol.join(monthly, alice)
  await protocol.join(weekly, bob, { allowance: await protocol.toRaw(weekly.token, weekly.amount) })
  await protocol.join(monthly, carol)

  const profile = { url: 'https://provider.example', domain: 'provider.example', email: '', misc: '' }
  await mineBlock(client, [
    callOf(provider, protocol, 'editDetails', [{ url: '', description: 'A plan, once more' }, weekly.id]),
    callOf(otherProvider, protocol, 'editDetails', [
      { url: 'https://provider.example/b', description: 'Für\u202e alle\t\u0000\nund jeden ☕' },
      monthly.id,
    ]),
    callOf(provider, protocol, 'editProvDetails', [{ description: 'First', company: 'One', ...profile }]),
    callOf(provider, protocol, 'editProvDetails', [{ description: 'Second', company: 'Two', ...profile }]),
  ])
  // Past Wednesday, the weekly one's day, and the fifth of the month: bob's allowance is spent and he is dropped.
  await chain.advanceDays(5)
  while ((await protocol.reverts(keeper, 'remit', [])) === undefined) await protocol.send(keeper, 'remit', [])
  await protocol.send(carol, 'unsubscribe', [monthly])
  await protocol.send(provider, 'unsubscribeByProvider', [weekly, alice])
  await protocol.send(otherProvider, 'cancelSubscription', [monthly])
}
