import type { Address } from 'viem'
import { encodeFunctionData, maxUint256, parseUnits } from 'viem'
import { TestToken } from '../../contracts/generated/TestToken.ts'
import { act } from '../differential/acts.ts'
import type { Random } from '../differential/random.ts'
import { someRequest } from '../differential/requests.ts'
import { createdIn, type HandCall, noteCreated, type World } from '../differential/world.ts'

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
  if (random.oneIn(2)) return act(world, random)
  const { from, byHand, joins, words } = await someRequest(world, random)
  const { status, logs } = await world.send(from, byHand)
  const created = createdIn(world, logs)
  if (created !== undefined) await noteCreated(world, created)
  if (joins !== undefined) world.joined.push({ account: from, subscription: joins })
  return `${words} (${status})`
}

/** Has a payer lower or raise its allowance, by one log of the token and none of the contract. */
export async function changePermission(world: World, random: Random): Promise<string> {
  const { account, token, left } = somePayer(world, random)
  const amount = left < 0n ? 0n : random.oneIn(12) ? maxUint256 : left
  const { contract } = world.chain
  await world.send(account, world.tokenCall(token.address, 'approve', [contract, 0n]))
  if (amount > 0n) await world.send(account, world.tokenCall(token.address, 'approve', [contract, amount]))
  return `${world.nameOf(account)} sets its ${token.name} allowance to ${amount}`
}

/** Somebody who has joined a plan, and a few of its periods, a little more or a little less. */
function somePayer(world: World, random: Random) {
  const { account, subscription } = random.pick(world.joined)
  const token = world.tokenAt(subscription.token)
  const period = subscription.amount / 10n ** BigInt(18 - token.decimals)
  return { account, token, left: period * BigInt(random.below(5)) + BigInt(random.pick([-1, 0, 0, 1])) }
}

/** Leaves a payer with an allowance or a balance of a few periods, a little more or a little less. */
async function changeMeans(world: World, random: Random): Promise<string> {
  if (random.oneIn(2)) return changePermission(world, random)
  const { account, token, left } = somePayer(world, random)
  const { address, name } = token
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
