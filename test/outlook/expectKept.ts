import { TestToken } from '@remit/contracts/TestToken'
import { type Address, encodeFunctionData, getAddress, parseUnits } from 'viem'
import { expect } from 'vitest'
import type { Random } from '../differential/random.ts'
import type { World } from '../differential/world.ts'
import type { Subscription } from '../support/chain/protocolOn.ts'
import { type Life, live } from './live.ts'
import type { openOutlooks } from './outlooksOf.ts'

/** Money enough for everything, so that the allowance alone decides how long a wallet pays. */
const RICH = '1000000'

/**
 * Lets days pass with and without one subscription more, which is prepared with `keepCoverage`. The wallet's others are
 * dropped no sooner than without it, but for those of which a warning tells.
 * @returns what was tried, in a word; `undefined` where nobody could subscribe
 */
export async function expectKept(
  world: World,
  random: Random,
  outlooks: ReturnType<typeof openOutlooks>,
): Promise<string | undefined> {
  const { account, subscription } = random.pick(world.joined)
  const { token } = subscription
  const isJoined = ({ id }: Subscription) =>
    world.joined.some((row) => row.account === account && row.subscription.id === id)
  const offers = world.subscriptions.filter((offer) => offer.token === token && !isJoined(offer))
  if (offers.length === 0) return undefined
  const { id } = random.pick(offers)
  const approvalPeriods = random.pick([1, 1, 2, 12])
  const life = { days: 15 + random.below(25), perDay: 1, isAudited: false }
  return world.aside(async () => {
    await makeEasy(world, account, token)
    // Some weeks of some plans, so that what is dear is dropped and what is cheap goes on.
    const allowance = parseUnits(String(5 + random.below(90)), world.tokenAt(token).decimals)
    for (const amount of [0n, allowance]) {
      await world.send(account, world.tokenCall(token, 'approve', [world.chain.contract, amount]))
    }
    const prepared = await outlooks.subscribing(account, id, approvalPeriods)
    if (prepared === undefined) return undefined
    const without = await world.aside(() => live(world, life))
    for (const { to, data } of prepared.unsignedTransactions) await world.send(account, { to, data })
    const within = await live(world, life)
    if (without.refusal !== '6') return undefined
    const told = new Set(prepared.warnings.flatMap(({ subscriptions = [] }) => subscriptions))
    const [before, after] = [without, within].map((lived) => dropsOf(lived, account, token))
    const sooner = [...(after ?? [])].filter(
      ([other, day]) =>
        other !== id && !told.has(other) && day < (before?.get(other) ?? Number.POSITIVE_INFINITY),
    )
    expect(
      sooner.map(([other, day]) => `${world.nameOf(other)} on ${day}, not on ${before?.get(other)}`),
      `${world.nameOf(account)} subscribes to ${world.nameOf(id)} for ${approvalPeriods} periods`,
    ).toEqual([])
    return (before?.size ?? 0) > 0 ? 'kept' : undefined
  })
}

/** Nothing but the allowance stands against anything: no page breaks, no pause, no lack of money, nobody blocked. */
async function makeEasy(world: World, account: Address, token: Address): Promise<void> {
  const { admin } = world.chain.wallets
  await world.send(admin, world.protocolCall('changeMaxRemits', [1_000n]))
  for (const { address } of world.tokens)
    await world.send(admin, world.protocolCall('pauseToken', [address, false]))
  const args = [account, parseUnits(RICH, world.tokenAt(token).decimals)] as const
  const data = encodeFunctionData({ abi: TestToken.abi, functionName: 'mint', args })
  await world.send(account, { to: token, data })
}

/** The days on which remit drops an account, by subscription. */
function dropsOf({ happened }: Life, account: Address, token: Address): ReadonlyMap<string, number> {
  return new Map(
    happened
      .filter((row) => row.account === account && row.verdict === 'fails')
      .filter((row) => getAddress(row.token) === getAddress(token))
      .map(({ subscriptionId, day }) => [subscriptionId, day]),
  )
}
