import type { Address, Hex } from 'viem'
import type { BlockRef } from '../src/core/ports/history.ts'
import type { ChainIdentity, PlacedPayment, ScheduleTerms, StepFacts } from '../src/history/projection.ts'
import type { PlacedEvent, Step } from '../src/history/source.ts'
import { addressOf, hashOf } from '../test/support/history/SyntheticChain.ts'

/** 1 January 2025. */
export const FIRST_DAY = 20_089
export const YEAR = 365

const SIZES = [500, 10_000, 50_000]
/** Plans of each provider: monthly ones, due on the days from the first to the tenth. */
const PLANS = 10
const PRICE = 10n ** 19n
const FIRST_BLOCK = 1_000
const BLOCKS_PER_DAY = 1_000
const MOST_PER_STEP = 2_500

export interface PaidProvider {
  readonly address: Address
  readonly subscribers: number
}

interface Plan {
  readonly id: Hex
  readonly provider: Address
  readonly dueDay: number
  readonly subscribers: number
}

/** A year in which providers of these sizes, and others with five hundred each, are paid every month. */
export function paymentSteps(chainId: number, payments: number) {
  const monthly = Math.ceil(payments / 12)
  const others = Math.max(0, Math.ceil((monthly - SIZES.reduce((sum, size) => sum + size, 0)) / 500))
  const providers = [...SIZES, ...Array.from({ length: others }, () => 500)].map((subscribers, index) => ({
    address: addressOf(`provider ${index}`),
    subscribers,
  }))
  const plans = providers.flatMap(({ address, subscribers }, index) =>
    Array.from({ length: PLANS }, (_, plan) => ({
      id: hashOf(`plan ${index}/${plan}`),
      provider: address,
      dueDay: plan + 1,
      subscribers: subscribers / PLANS,
    })),
  )
  const origin = blockOf(FIRST_BLOCK - 1, FIRST_DAY)
  const identity: ChainIdentity = {
    chainId,
    genesisHash: hashOf('genesis'),
    contract: addressOf('contract'),
    firstBlock: FIRST_BLOCK,
  }
  return { identity, origin, providers: providers.slice(0, SIZES.length), steps: stepsOf(origin, plans) }
}

function* stepsOf(origin: BlockRef, plans: readonly Plan[]): Generator<{ step: Step; facts: StepFacts }> {
  const terms = new Map<Hex, ScheduleTerms>(plans.map(({ id, dueDay }) => [id, { frequency: 1, dueDay }]))
  let ancestor = origin
  const stepTo = (number: number, day: number, events: PlacedEvent[], payments: PlacedPayment[]) => {
    const to = blockOf(number, day)
    const step = { ancestor, to, finalizedBlock: to.number, events, blocks: [to] }
    ancestor = to
    return { step, facts: { terms, payments } }
  }
  yield stepTo(FIRST_BLOCK, FIRST_DAY, plans.map(created), [])
  for (let day = FIRST_DAY; day < FIRST_DAY + YEAR; day += 1) {
    const ofMonth = new Date(day * 86_400_000).getUTCDate()
    let block = FIRST_BLOCK + (day - FIRST_DAY) * BLOCKS_PER_DAY + 1
    const isFirst = day - FIRST_DAY < 31
    for (const plan of plans.filter(({ dueDay }) => dueDay === ofMonth)) {
      for (let from = 0; from < plan.subscribers; from += MOST_PER_STEP) {
        const count = Math.min(MOST_PER_STEP, plan.subscribers - from)
        const who = Array.from({ length: count }, (_, index) => addressOf(`${plan.id} ${from + index}`))
        const events = isFirst
          ? who.map((subscriber, log) => subscribed(plan, subscriber, { block, log, day }))
          : []
        const paid = who.map((subscriber, log) => payment(plan, subscriber, { block, log, day, isFirst }))
        yield stepTo(block, day, events, paid)
        block += 1
      }
    }
  }
}

const token = addressOf('token')

function created({ id, provider }: Plan, log: number): PlacedEvent {
  return {
    event: {
      type: 'SubLog',
      eventName: 'Created',
      subScriptEvent: 0,
      id,
      provider,
      subscriber: undefined,
      token,
      amount: PRICE,
      timestamp: FIRST_DAY * 86_400,
    },
    blockNumber: FIRST_BLOCK,
    logIndex: log,
    transactionHash: hashOf('creations'),
  }
}

interface Place {
  readonly block: number
  readonly log: number
  readonly day: number
}

function subscribed({ id, provider }: Plan, subscriber: Address, { block, log, day }: Place): PlacedEvent {
  return {
    event: {
      type: 'SubLog',
      eventName: 'Subscribed',
      subScriptEvent: 6,
      id,
      provider,
      subscriber,
      token,
      amount: PRICE,
      timestamp: day * 86_400,
    },
    blockNumber: block,
    logIndex: log,
    transactionHash: hashOf(`transaction ${block}`),
  }
}

function payment(
  { id, provider }: Plan,
  subscriber: Address,
  { block, log, day, isFirst }: Place & { readonly isFirst: boolean },
): PlacedPayment {
  return {
    kind: isFirst ? 'firstCharge' : 'period',
    subscriptionId: id,
    provider,
    subscriber,
    token,
    period: PRICE,
    dayNumber: day,
    timestamp: day * 86_400,
    toProvider: isFirst ? 7_500_000n : 10_000_000n,
    toFeeBalance: isFirst ? 2_500_000n : 0n,
    toSubscriber: 0n,
    callerFee: isFirst ? 0n : 200_000n,
    systemShare: 0n,
    isStated: true,
    logIndex: log,
    lastLogIndex: log,
    blockNumber: block,
    transactionHash: hashOf(`transaction ${block}`),
    dropReason: null,
  }
}

function blockOf(number: number, day: number): BlockRef {
  return {
    number,
    hash: hashOf(`block ${number}`),
    parentHash: hashOf(`block ${number - 1}`),
    timestamp: day * 86_400,
  }
}
