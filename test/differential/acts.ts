import { BlockingToken } from '@remit/contracts/BlockingToken'
import { TestToken } from '@remit/contracts/TestToken'
import { type Address, encodeFunctionData, maxUint256, parseUnits } from 'viem'
import { DETAILS, tupleOf } from '../support/chain/protocolOn.ts'
import type { Random } from './random.ts'
import { createdIn, noteCreated, type World } from './world.ts'

/** What happens beside the service, each so often. */
const WEIGHTS = {
  nextDays: 20,
  longAbsence: 2,
  mint: 12,
  moveAway: 6,
  approve: 8,
  changeMaxRemits: 4,
  pause: 2,
  unpause: 4,
  block: 2,
  unblock: 3,
  cleanUp: 3,
  systemFee: 1,
  strangersUnsubscribe: 1,
  oddAmount: 2,
  pageStart: 1,
} as const

/** Lets one thing happen by hand, and says what it was. */
export async function act(world: World, random: Random): Promise<string> {
  const isStuck = world.remitRefusal.some((code) => code.startsWith('REMIT_') && code !== 'REMIT_NOT_DUE')
  if (isStuck && random.oneIn(3)) return rescue(world)
  return ACTS[random.weighted(WEIGHTS)](world, random)
}

type Act = (world: World, random: Random) => Promise<string>

const ACTS: Readonly<Record<keyof typeof WEIGHTS, Act>> = {
  nextDays: (world, random) => wait(world, 1 + random.below(6)),
  longAbsence: (world, random) => wait(world, 7 + random.below(34)),

  async mint(world, random) {
    const { token, account } = somebodysToken(world, random)
    const amount = parseUnits(String(random.pick([5, 40, 300, 5000])), token.decimals)
    const data = encodeFunctionData({ abi: TestToken.abi, functionName: 'mint', args: [account, amount] })
    await world.send(account, { to: token.address, data })
    return `mints ${amount} ${token.name} for ${world.nameOf(account)}`
  },

  async moveAway(world, random) {
    const { token, account } = somebodysToken(world, random)
    const held = (await world.holdings()).balance(token.address, account)
    const amount = random.oneIn(2) ? held : held / 2n
    const to = world.people.get('stranger') ?? account
    await world.send(account, world.tokenCall(token.address, 'transfer', [to, amount]))
    return `${world.nameOf(account)} moves ${amount} ${token.name} away`
  },

  async approve(world, random) {
    const { token, account } = somebodysToken(world, random)
    const whole = random.pick([0, 3, 11, 60])
    const amount = random.oneIn(8) ? maxUint256 : parseUnits(String(whole), token.decimals)
    const { contract } = world.chain
    // As some tokens want it.
    await world.send(account, world.tokenCall(token.address, 'approve', [contract, 0n]))
    await world.send(account, world.tokenCall(token.address, 'approve', [contract, amount]))
    return `${world.nameOf(account)} sets its ${token.name} allowance to ${amount}`
  },

  changeMaxRemits: (world, random) => {
    const most = random.oneIn(12) ? 0n : BigInt(random.pick([1, 1, 2, 2, 3, 5, 25]))
    return administer(world, 'changeMaxRemits', [most])
  },

  pause: (world, random) => administer(world, 'pauseToken', [random.pick(world.tokens).address, true]),
  unpause: async (world) => {
    for (const { address } of world.tokens) await administer(world, 'pauseToken', [address, false])
    return 'admin unpauses every token'
  },

  block: (world, random) => setRefusal(world, somebody(world, random), random.pick([1, 2])),
  unblock: (world, random) => setRefusal(world, somebody(world, random), 0),

  async cleanUp(world, random) {
    const janitor = world.people.get('janitor')
    if (janitor === undefined) throw new Error('There is no janitor')
    const subscription = world.subscriptions.at(random.below(Math.max(1, world.subscriptions.length)))
    if (subscription === undefined) return 'nothing is there to clean up'
    const listed = await world.send(janitor, world.protocolCall('cleanUnsubscribeList', [subscription.id]))
    const rest = await world.send(janitor, world.protocolCall('cleanupCancelledSubscribers', [subscription]))
    return `janitor cleans ${world.nameOf(subscription.id)} up (${listed.status}, ${rest.status})`
  },

  systemFee: (world, random) => administer(world, 'systemFeeActivate', [random.oneIn(2)]),

  async pageStart(world, random) {
    const subscription = world.subscriptions.at(random.below(Math.max(1, world.subscriptions.length)))
    if (subscription === undefined) return 'nothing is there to start a page at'
    const { id, frequency } = subscription
    const [subscriberIndex, subscriptionIndex] = [1 + random.below(3), 1 + random.below(3)]
    const initialized = random.oneIn(2)
    const start = { id, subscriberIndex, subscriptionIndex, frequency, initialized }
    await world.send(world.chain.wallets.admin, world.protocolCall('setPageStart', [start]))
    const position = `${subscriptionIndex}:${subscriberIndex}`
    return `admin sets the checkpoint to ${world.nameOf(id)} at ${position} (${initialized})`
  },

  async strangersUnsubscribe(world, random) {
    const account = somebody(world, random)
    const id = world.subscriptions.at(random.below(Math.max(1, world.subscriptions.length)))?.id
    if (id === undefined) return 'nothing is there to unsubscribe from'
    const { status } = await world.send(account, world.protocolCall('unsubscribe', [tupleOf(id)]))
    return `${world.nameOf(account)} unsubscribes from ${world.nameOf(id)} by hand (${status})`
  },

  // With fractions of the token's smallest unit, which the service never makes and the contract cuts off.
  async oddAmount(world, random) {
    const { provider } = world.chain.wallets
    const { address, name } = random.pick(world.tokens)
    const args = [10_123_456_789_123_456_789n, address, DETAILS, random.below(4), 1 + random.below(7)]
    const { logs } = await world.send(provider, world.protocolCall('createSubscription', args))
    const id = createdIn(world, logs)
    if (id === undefined) return `a create in ${name} by hand reverts`
    await noteCreated(world, id)
    return `provider creates ${world.nameOf(id)} of 10.123456789123456789 ${name} by hand`
  },
}

async function wait(world: World, days: number): Promise<string> {
  await world.chain.advanceDays(days)
  return `${days} days pass`
}

async function administer(world: World, functionName: string, args: readonly unknown[]): Promise<string> {
  const { status } = await world.send(world.chain.wallets.admin, world.protocolCall(functionName, args))
  const named = args.map((arg) => world.nameOf(String(arg)))
  return `admin calls ${functionName}(${named.join(', ')}) (${status})`
}

async function setRefusal(world: World, account: Address, refusal: number): Promise<string> {
  const args = [account, refusal] as const
  const data = encodeFunctionData({ abi: BlockingToken.abi, functionName: 'setRefusal', args })
  await world.send(account, { to: world.blocking, data })
  return `BLOCKING treats ${world.nameOf(account)} as ${refusal}`
}

/** Takes away whatever holds remit up: blocked payers, a contract that lacks funds, days on end. */
async function rescue(world: World): Promise<string> {
  const { contract, wallets } = world.chain
  for (const account of world.people.values()) await setRefusal(world, account, 0)
  for (const { address, decimals } of world.tokens) {
    const args = [contract, parseUnits('1000', decimals)] as const
    const data = encodeFunctionData({ abi: TestToken.abi, functionName: 'mint', args })
    await world.send(wallets.admin, { to: address, data })
  }
  await administer(world, 'changeMaxRemits', [5n])
  const today = Math.floor((await world.chain.now()) / 86_400)
  await administer(world, 'setNextUncheckedDay', [today])
  return 'admin and others get remit going again'
}

function somebody(world: World, random: Random): Address {
  return random.pick([...world.people.values()].slice(1, 7))
}

function somebodysToken(world: World, random: Random) {
  return { account: somebody(world, random), token: random.pick(world.tokens) }
}
