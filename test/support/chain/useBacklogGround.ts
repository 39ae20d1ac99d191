import { Frequency, protocolOn } from './protocolOn.ts'
import { useTestChain } from './useTestChain.ts'

/**
 * A chain whose remit charges two subscribers a call, with due days on Wednesdays (three subscriptions, one of them
 * cancelled), on the 3rd of the month and on day 305 of the year. Carol runs dry on her second charge.
 */
export async function useBacklogGround() {
  const chain = await useTestChain({ terms: { maxRemits: 2n } })
  const protocol = protocolOn(chain)
  const { alice, bob, carol, dave, provider, stranger } = chain.wallets
  const { dai } = chain.tokens
  const weekly = await protocol.create()
  const otherWeekly = await protocol.create({ token: dai })
  const cancelled = await protocol.create()
  const monthly = await protocol.create({ frequency: Frequency.MONTHLY, dueDay: 3, token: dai })
  const yearly = await protocol.create({ frequency: Frequency.YEARLY, dueDay: 305 })
  for (const account of [alice, bob, dave]) await protocol.join(weekly, account)
  // Enough to subscribe and for one remit, not for two.
  await protocol.join(weekly, carol, { balance: 15_000_000n, allowance: 15_000_000n })
  await protocol.join(otherWeekly, bob)
  await protocol.join(cancelled, alice)
  await protocol.send(provider, 'cancelSubscription', [cancelled])
  await protocol.join(monthly, alice)
  await protocol.join(monthly, dave)
  await protocol.join(yearly, stranger, { balance: 10_000_000n, allowance: 10_000_000n })
  await chain.keep()
  return { chain, protocol, weekly, otherWeekly, monthly, yearly }
}
