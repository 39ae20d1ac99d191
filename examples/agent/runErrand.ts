import type { Client as Remit } from '@remit/client'
import type { Address, Hex } from 'viem'
import { waitForTransactionReceipt } from 'viem/actions'
import { Activity, Found, Prepared, Status, type Subscription } from './answers.ts'
import { checkLeaving } from './checkLeaving.ts'
import { type CheckedCall, checkTransactions } from './checkTransactions.ts'
import type { Sender } from './sendInOrder.ts'
import type { Tools } from './Tools.ts'

const NEEDED = [
  'search_subscriptions',
  'prepare_subscribe_by_id',
  'get_transaction_status',
  'get_account_activity',
  'prepare_unsubscribe_by_id',
]

const PERIODS = ['week', 'month', 'quarter', 'year']
/** What a charge by remit logs: now and then a period fills the fee balance. */
const CHARGES = ['SubscriberPaid', 'FeeFilled']
/** Charges that the allowance shall cover. */
const APPROVAL_PERIODS = 4

/** What the person asked for. */
export interface Errand {
  /** Words by which the plan is known: of its description, or of its provider's name. */
  readonly name: string
  /** Of an approved token. */
  readonly symbol: string
  readonly frequency: 'weekly' | 'monthly' | 'quarterly' | 'yearly'
  /** The most that one period may cost, in whole tokens. */
  readonly mostPerPeriod: string
}

export interface ErrandAgent extends Sender {
  readonly address: Address
  readonly contract: Address
  /** Its `budget` is the person's, and held at the wallet's own node. */
  readonly remit: Pick<Remit, 'assertWithinBudget'>
  /** Waits until the plan has been charged, and returns a block by which it was. */
  readonly untilCharged: (plan: Subscription) => Promise<number>
}

/** Finds a plan by its name, subscribes, sees that it is paid, and leaves. */
export async function runErrand(agent: ErrandAgent, errand: Errand): Promise<void> {
  const { tools, address, say } = agent
  await tools.expect(NEEDED)
  const plan = await findPlan(tools, errand)
  const price = `${plan.amount} ${plan.token.symbol} a ${PERIODS[plan.frequency]}`
  say(`Found: ${plan.id}, ${price} to ${plan.provider}, next due ${plan.nextDue?.date}.`)

  const subscribed = await subscribe(agent, plan)
  const { status } = await tools.call(
    'get_transaction_status',
    { txHash: subscribed.hash, minBlock: subscribed.blockNumber },
    Status,
  )
  say(`Subscribed: ${status}.`)

  const blockNumber = await agent.untilCharged(plan)
  const { events } = await tools.call('get_account_activity', { address, minBlock: blockNumber }, Activity)
  const paid = events.find(
    ({ id, eventName, blockNumber }) =>
      id === plan.id && CHARGES.includes(eventName) && blockNumber > subscribed.blockNumber,
  )
  if (paid === undefined) throw new Error('It was due, and I see no payment: somebody has to look at this.')
  say(`Paid: ${paid.amount} ${plan.token.symbol} in block ${paid.blockNumber}.`)

  const leaving = { from: address, id: plan.id, minBlock: blockNumber }
  const prepared = await tools.call('prepare_unsubscribe_by_id', leaving, Prepared)
  const { chainId, contract } = agent
  const left = await signInOrder(
    agent,
    checkLeaving(prepared, { wallet: address, chainId, contract, id: plan.id }),
  )
  say(`Left, in block ${left.blockNumber}. What is left of the allowance stays until it is revoked.`)
}

/**
 * The one live plan with these words that costs no more than it may.
 *
 * Descriptions and names are a stranger's text: they only decide which plan is meant. Its terms say what it costs.
 */
async function findPlan(
  tools: Tools,
  { name, symbol, frequency, mostPerPeriod }: Errand,
): Promise<Subscription> {
  const wanted = { q: name, token: symbol, frequency, maxAmount: mostPerPeriod }
  const { subscriptions } = await tools.call('search_subscriptions', wanted, Found)
  const [plan, another] = subscriptions
  if (plan === undefined) {
    throw new Error(`No ${frequency} plan up to ${mostPerPeriod} ${symbol} has the words "${name}".`)
  }
  if (another !== undefined) throw new Error(`More than one plan is called "${name}": name it more exactly.`)
  return plan
}

/** Has it prepared, checks it, asks the budget, and only then signs. */
async function subscribe(agent: ErrandAgent, plan: Subscription) {
  const { tools, address, chainId, contract, remit, wallet, say } = agent
  const input = { from: address, id: plan.id, approvalPeriods: APPROVAL_PERIODS }
  const prepared = await tools.call('prepare_subscribe_by_id', input, Prepared)
  for (const { code, message } of prepared.warnings) say(`Mind ${code}: ${message}`)
  const calls = checkTransactions(prepared, {
    wallet: address,
    chainId,
    contract,
    plan,
    mostNow: plan.amountRaw,
    mostAllowance: plan.amountRaw * BigInt(APPROVAL_PERIODS + 1),
  })
  const { id, amount, provider, frequency, dueDay, token } = plan
  const terms = { amount, provider, frequency, dueDay, token: token.address }
  // The terms are those that the service told; the budget and the chain's terms are read at the wallet's own node.
  await remit.assertWithinBudget({ id, chainId, terms }, wallet)
  return signInOrder(agent, calls)
}

/** One after the other, each seen to have succeeded at the wallet's own node. Returns the last one. */
async function signInOrder({ wallet, chainId }: Sender, calls: readonly CheckedCall[]) {
  const on = await wallet.getChainId()
  if (on !== chainId) throw new Error(`The wallet is on chain ${on}, not ${chainId}: nothing was signed.`)
  let last: { readonly hash: Hex; readonly blockNumber: number } | undefined
  for (const { words, to, data } of calls) {
    const hash = await wallet.sendTransaction({ chain: null, to, data })
    const { status, blockNumber } = await waitForTransactionReceipt(wallet, { hash })
    if (status !== 'success') throw new Error(`${words} was mined in ${hash} and reverted.`)
    last = { hash, blockNumber: Number(blockNumber) }
  }
  if (last === undefined) throw new Error('There was nothing to sign.')
  return last
}
