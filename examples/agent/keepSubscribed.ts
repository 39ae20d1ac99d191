import { type Address, isAddressEqual, parseUnits } from 'viem'
import {
  Account,
  ApprovedTokens,
  Details,
  Found,
  Prepared,
  ProtocolState,
  Readiness,
  type Subscription,
} from './answers.ts'
import { checkTransactions } from './checkTransactions.ts'
import { frequencyNumber, type Goal, periodOf } from './goal.ts'
import { type Sender, sendInOrder } from './sendInOrder.ts'
import type { Tools } from './Tools.ts'

const NEEDED = [
  'get_protocol_state',
  'list_approved_tokens',
  'get_account',
  'search_subscriptions',
  'get_subscription_details',
  'check_subscribe_readiness_by_id',
  'prepare_subscribe_by_id',
  'get_transaction_status',
]

/** Charges that the allowance shall cover: what the service prepares by default. */
const APPROVAL_PERIODS = 12
/** Descriptions cost the scarcest limit, and only a person reads them. */
const MOST_DESCRIPTIONS = 3

export interface Agent extends Sender {
  readonly address: Address
  /** Known beforehand, as the chain is: a service that names another one is not the one that was meant. */
  readonly contract: Address
}

/** Brings about what the goal says, once. Running it again finds it done. */
export async function keepSubscribed(agent: Agent, goal: Goal): Promise<void> {
  const { tools, address, say } = agent
  say(`${await tools.expect(NEEDED)} tools; all ${NEEDED.length} that I need are there.`)
  const state = await tools.call('get_protocol_state', {}, ProtocolState)
  if (state.chainId !== agent.chainId || !isAddressEqual(state.contractAddress, agent.contract)) {
    throw new Error(
      `The service is over ${state.contractAddress} on chain ${state.chainId}, not what I was set up for.`,
    )
  }
  const token = await findToken(tools, goal)
  const most = parseUnits(goal.mostPerPeriod, token.decimals)

  const held = await currentPlan(agent, goal, token.address, most)
  if (held !== undefined) return say(held)

  const plans = await affordablePlans(tools, goal, token.address, most)
  const [plan] = plans
  if (plan === undefined) {
    return say(
      `No ${goal.frequency} plan in ${goal.symbol} costs ${goal.mostPerPeriod} or less: nothing done.`,
    )
  }
  await showPlans(agent, goal, plans)
  const blockNumber = await subscribe(agent, goal, plan, most)
  const done = await currentPlan(agent, goal, token.address, most, blockNumber)
  say(done ?? `The chain does not show ${address} as subscribed: somebody has to look at this.`)
}

async function findToken(tools: Tools, { symbol }: Goal) {
  const { tokens } = await tools.call('list_approved_tokens', {}, ApprovedTokens)
  const named = tokens.filter((token) => token.symbol?.toUpperCase() === symbol && !token.paused)
  const [token, another] = named
  if (token === undefined) throw new Error(`The protocol takes no ${symbol}.`)
  // A symbol is a name that anybody can give to a token: of two, only a person knows which was meant.
  if (another !== undefined) throw new Error(`More than one token is called ${symbol}.`)
  return token
}

/**
 * A sentence about the plan that fulfils the goal already, or `undefined`.
 * @param minBlock a block that the answer must have seen: one's own last transaction, say
 */
async function currentPlan(
  { tools, address }: Agent,
  goal: Goal,
  token: Address,
  most: bigint,
  minBlock = 0,
): Promise<string | undefined> {
  let page = await tools.call('get_account', { address, minBlock }, Account)
  const find = () =>
    page.subscribedTo.find(
      ({ subscription, statusLabel }) =>
        statusLabel === 'ACTIVE' && subscription.nextDue !== null && fits(subscription, goal, token, most),
    )
  let held = find()
  while (held === undefined && page.nextCursor !== null) {
    page = await tools.call('get_account', { address, minBlock, after: page.nextCursor }, Account)
    held = find()
  }
  if (held === undefined) return undefined
  const { subscription, allowanceCovers } = held
  const lasts =
    allowanceCovers === null
      ? 'the allowance has no end'
      : `the allowance lasts for ${allowanceCovers.periods} charges, until ${allowanceCovers.until?.date ?? 'none'}`
  return `Subscribed to ${subscription.id} at ${subscription.amount} ${goal.symbol} a ${periodOf(goal)}; next due ${subscription.nextDue?.date}; ${lasts}.`
}

/** Some plans within the goal, the cheapest first. */
async function affordablePlans(
  tools: Tools,
  goal: Goal,
  token: Address,
  most: bigint,
): Promise<Subscription[]> {
  const { frequency, mostPerPeriod: maxAmount } = goal
  const wanted = { token, frequency, maxAmount, sort: 'lowest_amount' }
  const { subscriptions } = await tools.call('search_subscriptions', wanted, Found)
  return subscriptions.filter((plan) => fits(plan, goal, token, most))
}

/** By the terms on chain, which cannot be worded. */
function fits(plan: Subscription, goal: Goal, token: Address, most: bigint): boolean {
  return (
    plan.frequency === frequencyNumber(goal) &&
    isAddressEqual(plan.token.address, token) &&
    plan.amountRaw > 0n &&
    plan.amountRaw <= most
  )
}

/**
 * Shows a person what providers say of their plans.
 *
 * A model could weigh here which description fits what the person wants. It would get them as data in quotes, as
 * they are printed here, and could only choose among plans that are within the goal.
 */
async function showPlans({ tools, say }: Agent, goal: Goal, plans: readonly Subscription[]): Promise<void> {
  say(`${plans.length} within the goal, by price:`)
  for (const { id, amount } of plans.slice(0, MOST_DESCRIPTIONS)) {
    const { details } = await tools.call('get_subscription_details', { id }, Details)
    say(`  ${amount} ${goal.symbol} a ${periodOf(goal)}, ${id}`)
    say(`    its provider says: ${JSON.stringify(details?.description ?? '')}`)
  }
  say('What providers say is theirs to say; I go by price and terms on chain.')
}

/** Subscribes, and returns the block that has it. */
async function subscribe(agent: Agent, goal: Goal, plan: Subscription, most: bigint): Promise<number> {
  const { tools, address, chainId, contract, say } = agent
  const input = { from: address, id: plan.id, approvalPeriods: APPROVAL_PERIODS }
  const readiness = await tools.call('check_subscribe_readiness_by_id', input, Readiness)
  const { ready, issues, warnings, details } = readiness
  if (!ready) throw new Error(`It cannot be subscribed to: ${issues.map(({ message }) => message).join(' ')}`)
  for (const { code, message } of warnings) say(`Mind ${code}: ${message}`)
  const { toFeeBalance, toProvider } = details.firstCharge
  say(`Chosen: ${plan.id}.`)
  say(`  now: ${toFeeBalance.amount} for the fee balance, ${toProvider.amount} for the provider`)
  say(`  from ${details.nextDue?.date} on: ${plan.amount} ${goal.symbol} a ${periodOf(goal)}`)

  const prepared = await tools.call('prepare_subscribe_by_id', input, Prepared)
  const calls = checkTransactions(prepared, {
    wallet: address,
    chainId,
    contract,
    plan,
    mostNow: most,
    // The first charge and those that the allowance is to cover, none of them above the goal.
    mostAllowance: most * BigInt(APPROVAL_PERIODS + 1),
  })
  say('Checked, and signed in order:')
  return sendInOrder(agent, calls)
}
