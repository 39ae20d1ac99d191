import { TestToken } from '@remit/contracts/TestToken'
import { callOf, mineBlock } from '@remit/devchain/testing/chain/block'
import { type Address, encodeFunctionData, maxUint256 } from 'viem'
import type { Random } from '../differential/random.ts'
import { createdIn, noteCreated, type World } from '../differential/world.ts'
import { DETAILS, type Subscription } from '../support/chain/protocolOn.ts'

/** Charges in a year, and the highest due day, by frequency. */
const FREQUENCIES = [
  { inYear: 52n, dueDays: 7, most: 20 },
  { inYear: 12n, dueDays: 28, most: 60 },
  { inYear: 4n, dueDays: 90, most: 150 },
  { inYear: 1n, dueDays: 365, most: 400 },
] as const

const PLANS = 7

/** More USDC than a year can cost. */
const PLENTY = 10n ** 15n

/** Who pays in such a life. Nobody of them provides anything, so no money comes in. */
export function payersWithoutEther({ chain: { wallets } }: World): readonly Address[] {
  const { alice, bob, carol, dave } = wallets
  return [alice, bob, carol, dave]
}

/**
 * Plans of three providers and of every frequency, and payers without ether: each with permission for a part of the coming year, and
 * with money for a part of it or for all of it.
 */
export async function beginShortOfPermission(world: World, random: Random): Promise<void> {
  world.subscriptions.length = 0
  world.joined.length = 0
  const { chain, tokens } = world
  const { provider, otherProvider, janitor } = chain.wallets
  const [usdc] = tokens
  if (usdc === undefined) throw new Error('This world has no USDC')
  for (let plan = 0; plan < PLANS; plan += 1) {
    const frequency = plan < FREQUENCIES.length ? plan : random.below(FREQUENCIES.length)
    const { dueDays, most } = frequencyOf(frequency)
    // With digits that the token lacks, which the contract cuts off.
    const amount =
      BigInt(10 + random.below(most * 1_000)) * 10n ** 15n + BigInt(random.below(10 ** 9)) * 10n ** 6n
    const terms = [amount, usdc.address, DETAILS, frequency, 1 + random.below(dueDays)]
    const from = random.pick([provider, otherProvider, janitor])
    const { logs } = await world.send(from, world.protocolCall('createSubscription', terms))
    const created = createdIn(world, logs)
    if (created === undefined) throw new Error('A plan was refused')
    await noteCreated(world, created)
  }
  await beginRegular(world)
  for (const account of payersWithoutEther(world)) await beginPayer(world, random, account)
}

/** Somebody pays each week, whoever else is dropped: over some two hundred days without a charge, no remit would get. */
async function beginRegular(world: World): Promise<void> {
  const { client, contract, wallets, tokens } = world.chain
  const usdc = { address: tokens.usdc, abi: TestToken.abi }
  const from = wallets.stranger
  const [weekly] = world.subscriptions
  await mineBlock(client, [
    callOf(from, usdc, 'mint', [from, PLENTY]),
    callOf(from, usdc, 'approve', [contract, maxUint256]),
    { from, ...world.protocolCall('subscribe', [weekly]), label: 'subscribe' },
  ])
}

function frequencyOf(index: number): (typeof FREQUENCIES)[number] {
  const frequency = FREQUENCIES[index]
  if (frequency === undefined) throw new Error(`There is no frequency ${index}`)
  return frequency
}

async function beginPayer(world: World, random: Random, account: Address): Promise<void> {
  const { client, contract, wallets, tokens } = world.chain
  const usdc = { address: tokens.usdc, abi: TestToken.abi }
  const first = random.pick(world.subscriptions)
  const chosen = world.subscriptions.filter((plan) => plan === first || random.oneIn(2))
  const subscribing = chosen.map((plan) => ({
    from: account,
    ...world.protocolCall('subscribe', [plan]),
    label: 'subscribe',
  }))
  await mineBlock(client, [
    callOf(account, usdc, 'mint', [account, PLENTY]),
    callOf(account, usdc, 'approve', [contract, maxUint256]),
    ...subscribing,
  ])
  for (const subscription of chosen) world.joined.push({ account, subscription })
  const inYear = chosen.reduce((sum, plan) => sum + rawOf(plan) * frequencyOf(plan.frequency).inYear, 0n)
  const share = (percent: number) => (inYear * BigInt(percent)) / 100n
  const allowance = random.pick([
    0n,
    1n,
    rawOf(first) - 1n,
    rawOf(first),
    share(random.below(90)),
    share(random.below(90)),
  ])
  const balance = random.oneIn(3) ? share(5 + random.below(90)) : share(110 + random.below(90))
  const held = (await world.holdings()).balance(usdc.address, account)
  const surplus = held - balance
  if (surplus < 0n) throw new Error(`${world.nameOf(account)} has too little to begin with`)
  await mineBlock(client, [
    callOf(account, usdc, 'approve', [contract, allowance]),
    callOf(account, usdc, 'transfer', [wallets.admin, surplus]),
  ])
  await client.setBalance({ address: account, value: 0n })
}

function rawOf({ amount }: Subscription): bigint {
  return amount / 10n ** 12n
}

/** Has a wallet without ether approve, by ether that is gone afterwards. */
export async function approveOnce(world: World, account: Address, amount: bigint): Promise<void> {
  const { client, contract, tokens } = world.chain
  await client.setBalance({ address: account, value: 10n ** 18n })
  const data = encodeFunctionData({ abi: TestToken.abi, functionName: 'approve', args: [contract, amount] })
  await mineBlock(client, [{ from: account, to: tokens.usdc, data, label: 'approve' }])
  await client.setBalance({ address: account, value: 0n })
}
