import { dueDayOn } from '@remit/protocol/calendar'
import { dueDayRange } from '@remit/protocol/subscription'
import { type Address, formatUnits, type Hex, maxUint256, parseUnits } from 'viem'
import { DETAILS, type Subscription, tupleOf } from '../support/chain/protocolOn.ts'
import type { Random } from './random.ts'
import type { HandCall, World } from './world.ts'

/** One request to the service, and the same thing done by hand. */
export interface PrepareRequest {
  /** Behind `/prepare/`. */
  readonly route: string
  readonly from: Address
  readonly body: Readonly<Record<string, unknown>>
  /** What a subscribe is to. */
  readonly joins?: Subscription
  /** The token whose allowance the call draws on. */
  readonly spends?: Address
  readonly byHand: HandCall
  /** Nobody would send this: a 400 or 422 that names what is wrong is all that may come of it. */
  readonly isAbsurd: boolean
  readonly words: string
}

const WEIGHTS = {
  create: 12,
  subscribe: 34,
  unsubscribe: 9,
  unsubscribeByProvider: 7,
  cancel: 5,
  editDetails: 4,
  editProfile: 2,
  revoke: 4,
  remit: 26,
} as const

/** Mostly what somebody would really ask for, sometimes not. */
export async function someRequest(world: World, random: Random): Promise<PrepareRequest> {
  const few = world.subscriptions.length < 4
  const kind = few ? 'create' : random.weighted(WEIGHTS)
  return MAKERS[kind](world, random)
}

type Maker = (world: World, random: Random) => PrepareRequest | Promise<PrepareRequest>

const MAKERS: Readonly<Record<keyof typeof WEIGHTS, Maker>> = {
  async create(world, random) {
    const from = random.pick(providers(world))
    const token = random.pick([...world.tokens, ...world.tokens.slice(0, 3)])
    const today = Math.floor((await world.chain.now()) / 86_400)
    const frequency = random.pick([0, 0, 1, 1, 2, 3] as const)
    // Soon, so that several are due on one day; the 29th and its like are nobody's due day.
    const soon = dueDayOn(today + random.below(10), frequency).dueDay
    const isAbsurd = random.oneIn(10)
    const dueDay = isAbsurd ? random.pick([0, 8, 29, 91, 366]) : Math.min(soon, dueDayRange(frequency).max)
    const amount = random.oneIn(9)
      ? random.pick(['0', '0.001'])
      : random.pick(['1', '10.5', '12', '33.333333'])
    const address = random.oneIn(15) ? world.chain.contract : token.address
    const args = [parseUnits(amount, 18), address, DETAILS, frequency, dueDay]
    return {
      route: 'create_subscription',
      from,
      body: { from, amount, token: address, details: DETAILS, frequency, dueDay },
      byHand: world.protocolCall('createSubscription', args),
      isAbsurd,
      words: `${world.nameOf(from)} creates ${amount} ${world.nameOf(address)} ${frequency}:${dueDay}`,
    }
  },

  subscribe(world, random) {
    const from = random.oneIn(12) ? random.pick(providers(world)) : random.pick(payers(world))
    const subscription = recent(world, random)
    const approvalPeriods = random.pick([0, 0, 1, 2, 3, 40, 120])
    const infiniteApproval = random.oneIn(6)
    const more = {
      ...(approvalPeriods > 0 && { approvalPeriods }),
      ...(infiniteApproval && { infiniteApproval }),
    }
    const asked = { operation: 'subscribe', functionName: 'subscribe', from, subscription, more }
    return {
      ...onSubscription(world, random, asked),
      joins: subscription,
      spends: subscription.token,
      words: `${world.nameOf(from)} subscribes to ${world.nameOf(subscription.id)} ${JSON.stringify(more)}`,
    }
  },

  unsubscribe(world, random) {
    const { account: from, subscription } = mostlySubscriber(world, random)
    const asked = { operation: 'unsubscribe', functionName: 'unsubscribe', from, subscription }
    return {
      ...onSubscription(world, random, asked),
      words: `${world.nameOf(from)} unsubscribes from ${world.nameOf(subscription.id)}`,
    }
  },

  unsubscribeByProvider(world, random) {
    const { account: subscriber, subscription } = mostlySubscriber(world, random)
    const from = mostlyProvider(world, random, subscription)
    return {
      ...onSubscription(world, random, {
        operation: 'unsubscribe_by_provider',
        functionName: 'unsubscribeByProvider',
        from,
        subscription,
        more: { subscriber },
        args: [subscriber],
      }),
      words: `${world.nameOf(from)} removes ${world.nameOf(subscriber)} from ${world.nameOf(subscription.id)}`,
    }
  },

  cancel(world, random) {
    const subscription = recent(world, random)
    const from = mostlyProvider(world, random, subscription)
    const asked = { operation: 'cancel_subscription', functionName: 'cancelSubscription', from, subscription }
    return {
      ...onSubscription(world, random, asked),
      words: `${world.nameOf(from)} cancels ${world.nameOf(subscription.id)}`,
    }
  },

  editDetails(world, random) {
    const { id, provider } = random.pick(world.subscriptions)
    const from = random.oneIn(4) ? random.pick(payers(world)) : provider
    const details = { url: '', description: `Plan ${random.below(100)}` }
    return {
      route: 'edit_details',
      from,
      body: { from, id, details },
      byHand: world.protocolCall('editDetails', [details, id]),
      isAbsurd: false,
      words: `${world.nameOf(from)} edits ${world.nameOf(id)}`,
    }
  },

  editProfile(world, random) {
    const from = random.pick(providers(world))
    const fields = {
      description: 'Sells',
      company: `C${random.below(9)}`,
      url: '',
      domain: '',
      email: '',
      misc: '',
    }
    return {
      route: 'edit_provider_details',
      from,
      body: { from, ...fields },
      byHand: world.protocolCall('editProvDetails', [fields]),
      isAbsurd: false,
      words: `${world.nameOf(from)} edits its profile`,
    }
  },

  revoke(world, random) {
    const from = random.pick(payers(world))
    const { address, name } = random.pick(world.tokens)
    return {
      route: 'revoke_allowance',
      from,
      body: { from, token: address },
      byHand: world.tokenCall(address, 'approve', [world.chain.contract, 0n]),
      isAbsurd: false,
      words: `${world.nameOf(from)} revokes its ${name} allowance`,
    }
  },

  remit(world, random) {
    const from = random.pick([world.chain.wallets.keeper, random.pick(payers(world))])
    return {
      route: 'remit',
      from,
      body: { from },
      byHand: world.protocolCall('remit', []),
      isAbsurd: false,
      words: `${world.nameOf(from)} remits`,
    }
  },
}

/** An approval for what a wallet subscribes to. It is no `someRequest`: frozen states have ways of their own to approve. */
export function extension(world: World, random: Random): PrepareRequest {
  const { account: from, subscription } = mostlySubscriber(world, random)
  const { token: address } = subscription
  const approvalPeriods = random.pick([1, 12, 120])
  return {
    route: 'extend_coverage',
    from,
    body: { from, token: address, approvalPeriods },
    // What is refused has nothing to approve.
    byHand: world.tokenCall(address, 'approve', [world.chain.contract, 0n]),
    isAbsurd: false,
    words: `${world.nameOf(from)} covers ${approvalPeriods} charges in ${world.nameOf(address)}`,
  }
}

interface OnSubscription {
  readonly operation: string
  readonly functionName: string
  readonly from: Address
  readonly subscription: Subscription
  /** Fields of the body beside the subscription, and arguments behind it. */
  readonly more?: Readonly<Record<string, unknown>>
  readonly args?: readonly unknown[]
}

/** In one of the two forms; rarely with an id that nobody has, or terms that are not the chain's. */
function onSubscription(world: World, random: Random, asked: OnSubscription) {
  const { operation, functionName, from, subscription, more = {}, args = [] } = asked
  const { id, provider, token, frequency, dueDay } = subscription
  const isAbsurd = random.oneIn(25)
  const shared = { from, isAbsurd }
  if (random.oneIn(3)) {
    const { decimals } = world.tokenAt(token)
    const amount = formatUnits(subscription.amount / 10n ** BigInt(18 - decimals), decimals)
    const terms = { id, amount, provider, token, frequency, dueDay: isAbsurd ? dueDay + 1 : dueDay }
    const byHand = world.protocolCall(functionName, [subscription, ...args])
    return { ...shared, route: operation, body: { from, subscription: terms, ...more }, byHand }
  }
  const named = isAbsurd ? STRANGE_ID : id
  const byHand = world.protocolCall(functionName, [isAbsurd ? tupleOf(named) : subscription, ...args])
  return { ...shared, route: `${operation}_by_id`, body: { from, id: named, ...more }, byHand }
}

const STRANGE_ID: Hex = `0x${'5e'.repeat(32)}`

/** So that nothing but the named reason can stand against a subscribe by hand. */
export function endlessAllowance(world: World, token: Address): HandCall[] {
  const { contract } = world.chain
  return [0n, maxUint256].map((amount) => world.tokenCall(token, 'approve', [contract, amount]))
}

function providers({ chain: { wallets } }: World): Address[] {
  return [wallets.provider, wallets.provider, wallets.otherProvider]
}

function payers({ chain: { wallets } }: World): Address[] {
  const { alice, bob, carol, dave, otherProvider } = wallets
  return [alice, alice, bob, bob, carol, carol, dave, otherProvider]
}

function mostlyProvider(world: World, random: Random, { provider }: Subscription): Address {
  return random.oneIn(4) ? random.pick(payers(world)) : provider
}

function recent(world: World, random: Random): Subscription {
  return random.pick(world.subscriptions.slice(-14))
}

function mostlySubscriber(world: World, random: Random) {
  if (world.joined.length > 0 && !random.oneIn(3)) return random.pick(world.joined.slice(-12))
  return { account: random.pick(payers(world)), subscription: recent(world, random) }
}
