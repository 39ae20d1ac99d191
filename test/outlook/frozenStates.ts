import { TestToken } from '@remit/contracts/TestToken'
import type { Address } from 'viem'
import { encodeFunctionData, maxUint256, parseUnits } from 'viem'
import { act } from '../differential/acts.ts'
import type { Random } from '../differential/random.ts'
import { someRequest } from '../differential/requests.ts'
import { createdIn, type HandCall, noteCreated, type World } from '../differential/world.ts'
import type { Subscription } from '../support/chain/protocolOn.ts'

/** Who pays here. The last one is a provider too. */
export function payersIn({ chain: { wallets } }: World): readonly Address[] {
  const { alice, bob, carol, dave, otherProvider } = wallets
  return [alice, bob, carol, dave, otherProvider]
}

/** Some plans with many subscribers: several of each payer on one allowance. */
export async function beginLife(world: World, random: Random): Promise<void> {
  world.subscriptions.length = 0
  world.joined.length = 0
  world.remitRefusal = []
  const { client } = world.chain
  const sent: { from: Address; call: HandCall }[] = []
  while (world.subscriptions.length < 9) {
    // The first requests create plans, as long as there are few.
    const few: World = { ...world, subscriptions: [] }
    const { from, byHand } = await someRequest(few, random)
    const { logs } = await world.send(from, byHand)
    const created = createdIn(world, logs)
    if (created !== undefined) await noteCreated(world, created)
  }
  for (const account of payersIn(world)) {
    for (const { address, decimals } of world.tokens) {
      const funds = encodeFunctionData({
        abi: TestToken.abi,
        functionName: 'mint',
        args: [account, parseUnits('400', decimals)],
      })
      sent.push({ from: account, call: { to: address, data: funds } })
      sent.push({
        from: account,
        call: world.tokenCall(address, 'approve', [world.chain.contract, parseUnits('300', decimals)]),
      })
    }
    for (const subscription of world.subscriptions) {
      if (random.oneIn(4)) continue
      sent.push({ from: account, call: world.protocolCall('subscribe', [subscription]) })
      world.joined.push({ account, subscription })
    }
  }
  await client.setAutomine(false)
  try {
    for (const { from, call } of sent) {
      await client.sendTransaction({ account: from, chain: null, ...call, gas: 500_000n })
    }
    await client.mine({ blocks: 1 })
  } finally {
    await client.setAutomine(true)
  }
}

/** Something that anybody does, by hand: it may well revert. */
export async function someStep(world: World, random: Random): Promise<string> {
  if (random.oneIn(3)) return changeMeans(world, random)
  if (random.oneIn(8)) return lowerAndRaise(world, random)
  if (random.oneIn(2)) return act(world, random)
  const { from, byHand, joins, words } = await someRequest(world, random)
  const { status, logs } = await world.send(from, byHand)
  const created = createdIn(world, logs)
  if (created !== undefined) await noteCreated(world, created)
  if (joins !== undefined) world.joined.push({ account: from, subscription: joins })
  return `${words} (${status})`
}

/** Has a payer lower or raise its allowance, by one log of the token and none of the contract. */
export function changePermission(world: World, random: Random): Promise<string> {
  const { account, subscription } = random.pick(world.joined)
  return setPermission(world, random, account, subscription)
}

async function setPermission(
  world: World,
  random: Random,
  account: Address,
  subscription: Subscription,
): Promise<string> {
  const { address, name } = world.tokenAt(subscription.token)
  const left = fewPeriods(world, random, subscription)
  const amount = left < 0n ? 0n : random.oneIn(12) ? maxUint256 : left
  const { contract } = world.chain
  await world.send(account, world.tokenCall(address, 'approve', [contract, 0n]))
  if (amount > 0n) await world.send(account, world.tokenCall(address, 'approve', [contract, amount]))
  return `${world.nameOf(account)} sets its ${name} allowance to ${amount}`
}

/** A few periods of a subscription, a little more or a little less. */
function fewPeriods(world: World, random: Random, subscription: Subscription): bigint {
  const { decimals, takesMore } = world.tokenAt(subscription.token)
  const full = subscription.amount / 10n ** BigInt(18 - decimals)
  // A wallet that has a period, and not what the token takes on top, holds everybody up: rarely.
  const period = takesMore && !random.oneIn(8) ? (full * 23n) / 20n : full
  return period * BigInt(random.below(5)) + BigInt(random.pick([-1, 0, 0, 1]))
}

/** Leaves a payer with an allowance or a balance of a few periods, often in two tokens. */
async function changeMeans(world: World, random: Random): Promise<string> {
  const { account, subscription } = random.pick(world.joined)
  const words = await changeMeansOf(world, random, account, subscription)
  const others = world.joined.filter(
    (row) => row.account === account && row.subscription.token !== subscription.token,
  )
  if (others.length === 0 || random.oneIn(2)) return words
  return `${words}; ${await changeMeansOf(world, random, account, random.pick(others).subscription)}`
}

async function changeMeansOf(
  world: World,
  random: Random,
  account: Address,
  subscription: Subscription,
): Promise<string> {
  if (random.oneIn(2)) return setPermission(world, random, account, subscription)
  const { address, name } = world.tokenAt(subscription.token)
  const left = fewPeriods(world, random, subscription)
  const held = (await world.holdings()).balance(address, account)
  const stranger = world.people.get('stranger') ?? account
  const call =
    held > left
      ? world.tokenCall(address, 'transfer', [stranger, held - (left < 0n ? 0n : left)])
      : {
          to: address,
          data: encodeFunctionData({
            abi: TestToken.abi,
            functionName: 'mint',
            args: [account, left - held],
          }),
        }
  await world.send(account, call)
  return `${world.nameOf(account)} now has about ${left} ${name}`
}

/** A payer takes a part of its permission back, and some days later gives more again. */
async function lowerAndRaise(world: World, random: Random): Promise<string> {
  const { account, subscription } = random.pick(world.joined)
  const { address, name } = world.tokenAt(subscription.token)
  const held = (await world.holdings()).allowance(address, account)
  const approve = async (amount: bigint) => {
    for (const value of [0n, amount]) {
      await world.send(account, world.tokenCall(address, 'approve', [world.chain.contract, value]))
    }
  }
  const [lowered, days] = [held / BigInt(1 + random.below(9)), 1 + random.below(3)]
  await approve(lowered)
  await world.chain.advanceDays(days)
  await world.send(world.chain.wallets.keeper, world.protocolCall('remit', []))
  const raised = random.oneIn(3) ? undefined : held > 2n ** 200n ? held : held * 2n
  if (raised !== undefined) await approve(raised)
  return `${world.nameOf(account)} lowers its ${name} allowance of ${held} to ${lowered}, and ${days} days later raises it to ${raised}`
}
