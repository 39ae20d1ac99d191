import { dateOf, dayNumberAt, dueDayOn } from '@remit/protocol/calendar'
import { firstCharge, splitToRaw } from '@remit/protocol/fees'
import { decodeLogs } from '@remit/protocol/logs/events'
import { forecastRemit, type RemitForecast } from '@remit/protocol/remit/forecastRemit'
import { observeRemit } from '@remit/protocol/remit/observeRemit'
import { remit } from '@remit/protocol/remit/remit'
import { type Checkpoint, remitState } from '@remit/protocol/remit/remitState'
import { dueDayRange, type Frequency } from '@remit/protocol/subscription'
import { type Address, type Hex, isAddressEqual, type TransactionReceipt } from 'viem'
import { afterEach, expect, it } from 'vitest'
import { CALLER_FEE, days, ForecastChain } from './forecastChain.ts'
import { expectOutlooks, type SentRemit } from './outlooks.ts'

const DECIMALS = [6, 18, 20] as const
const PROVIDERS = [1, 2, 3]
// The providers subscribe to each other too: what they earn pays what they owe.
const PAYERS = [2, 3, 4, 5, 6, 7, 8]
const CALLER = 8
// What every one of these chains is deployed with.
const SYSTEM_FEE = 11_000n

let chain: ForecastChain | undefined

afterEach(async () => {
  await chain?.stop()
  chain = undefined
})

it.each([
  { seed: 105, maxRemits: 1, systemFeeOn: false, start: '2024-06-08T05:00Z', rounds: 2, skips: false },
  // Here a page breaks off where a later frequency has a longer list.
  { seed: 122, maxRemits: 3, systemFeeOn: true, start: '2025-11-25T05:00Z', rounds: 4, skips: true },
  { seed: 3, maxRemits: 50, systemFeeOn: true, start: '2028-02-10T00:00Z', rounds: 2, skips: false },
])(
  'against the reference contract foretells every charge, drop, page and fee of a backlog (seed $seed)',
  async (scenario) => {
    const random = randomNumbers(scenario.seed)
    const here = await ForecastChain.start(Date.parse(scenario.start) / 1000)
    chain = here
    await here.deploy(scenario.maxRemits, scenario.systemFeeOn, DECIMALS)
    const ids: Hex[] = []
    let transactions = 0
    let failures = 0
    let skipped = 0
    for (let round = 0; round < scenario.rounds; round += 1) {
      await live(here, random, ids)
      await here.setTime((await here.now()) + days(2 + random(24)))
      const forecast = await workOff(here)
      transactions += forecast.expectedTransactions
      failures += forecast.failing.length
      skipped += forecast.skipped.length
    }
    expect(transactions).toBeGreaterThan(5)
    expect(failures).toBeGreaterThan(0)
    expect(skipped > 0).toBe(scenario.skips)
  },
  120_000,
)

/** Some days of the actors' lives: plans, subscribers, fewer funds than promised, a cancel, a pause. */
async function live(here: ForecastChain, random: Random, ids: Hex[]): Promise<void> {
  const today = dayNumberAt(await here.now())
  for (let count = 0; count < 5; count += 1) ids.push(await create(here, random, today))
  for (const index of PAYERS) {
    for (const [place, token] of here.tokens.entries()) {
      const unit = 10n ** BigInt(DECIMALS[place] ?? 0)
      const from = here.account(index)
      const allowance = random(3) === 0 ? unit * BigInt(random(60)) : unit * 10_000n
      await here.sendToken({ from, functionName: 'mint', args: [from, unit * BigInt(random(40))] }, token)
      await here.sendToken({ from, functionName: 'approve', args: [here.contract, allowance] }, token)
    }
  }
  for (let count = 0; count < 24; count += 1) {
    await subscribe(here, here.account(pick(random, PAYERS)), pick(random, ids))
  }
  const id = pick(random, ids)
  const terms = await here.terms(id)
  await here.send({ from: terms.provider, functionName: 'cancelSubscription', args: [terms] })
  const leaver = await here.terms(pick(random, ids))
  await here.send({ from: here.account(4), functionName: 'unsubscribe', args: [leaver] })
  const paused = random(3) === 0
  const args = [pick(random, here.tokens), paused]
  await here.send({ from: here.admin, functionName: 'pauseToken', args })
}

async function create(here: ForecastChain, random: Random, today: number): Promise<Hex> {
  // Mostly weekly and monthly, and due soon, so that due days meet.
  const frequency = pick<Frequency>(random, [0, 0, 1, 1, 2, 3])
  const { min, max } = dueDayRange(frequency)
  const soon = dueDayOn(today + random(12), frequency).dueDay
  const dueDay = Math.min(Math.max(soon, min), max)
  const amount = BigInt(1 + random(20)) * 10n ** 18n + BigInt(random(2)) * 123_456_789_123_456_789n
  const args = [amount, pick(random, here.tokens), { url: '', description: '' }, frequency, dueDay]
  const from = here.account(pick(random, PROVIDERS))
  const receipt = await here.send({ from, functionName: 'createSubscription', args })
  const [created] = subLogs(here, receipt)
  if (created === undefined) return create(here, random, today)
  return created.id
}

/** Subscribes where the contract lets it, and compares what it took with what we say it takes. */
async function subscribe(here: ForecastChain, from: Address, id: Hex): Promise<void> {
  const terms = await here.terms(id)
  const nextUncheckedDay = await here.nextUncheckedDay()
  const receipt = await here.send({ from, functionName: 'subscribe', args: [terms] })
  if (receipt.status !== 'success') return
  const timestamp = await here.now()
  const split = firstCharge({ terms, timestamp, callerFee: CALLER_FEE, nextUncheckedDay })
  const logs = subLogs(here, receipt)
  const amountOf = (name: string) => logs.find(({ eventName }) => eventName === name)?.amount ?? 0n
  expect(split).toEqual({ toFeeBalance: amountOf('FeeFilled'), toProvider: amountOf('ProviderPaid') })
  const decimals = DECIMALS[here.tokens.indexOf(terms.token)] ?? 0
  const moved = transfers(here, receipt).reduce((sum, { amountRaw }) => sum + amountRaw, 0n)
  expect(splitToRaw(split, decimals).total).toBe(moved)
}

/** Remits until nothing is due, and holds the forecast made before against what happened. */
async function workOff(here: ForecastChain): Promise<RemitForecast> {
  const caller = here.account(CALLER)
  const forecast = forecastRemit(await here.backlog(caller, undefined))
  const seen: Seen = { days: new Map(), failing: [], earned: new Map() }
  let transactions = 0
  let checkpoint: Checkpoint | undefined
  const sent: SentRemit[] = []
  for (;;) {
    const backlog = await here.backlog(caller, checkpoint)
    const left = forecastRemit(backlog)
    expect(left.expectedTransactions).toBe(forecast.expectedTransactions - transactions)
    const state = remitState(backlog)
    const outcome = remit(state)
    const receipt = await here.send({ from: caller, functionName: 'remit' })
    if (receipt.status !== 'success') {
      expect(outcome).toEqual({ ok: false, reason: 'notDue' })
      break
    }
    transactions += 1
    expect(outcome.ok && outcome.run.transfers).toEqual(transfers(here, receipt))
    checkpoint = state.checkpoint
    note(here, receipt, caller, seen)
    const observed = observeRemit(receipt.logs, here.contract)
    if (observed !== undefined) sent.push({ before: backlog, observed })
  }
  expect(sent).toHaveLength(transactions)
  for (const tried of [1, 3, transactions + 1]) expectOutlooks(sent, SYSTEM_FEE, tried)
  expect(transactions).toBe(forecast.expectedTransactions)
  expect(forecast.stalled).toBeUndefined()
  expect(forecast.failing.map(({ id, subscriber, dayNumber }) => ({ id, subscriber, dayNumber }))).toEqual(
    seen.failing,
  )
  expect(
    forecast.days.map(({ dayNumber, willPay, willFail }) => [dateOf(dayNumber), willPay, willFail]),
  ).toEqual([...seen.days].map(([dayNumber, { paid, failed }]) => [dateOf(dayNumber), paid, failed]))
  expect(new Map(forecast.callerFees.map(({ token, amountRaw }) => [token, amountRaw]))).toEqual(seen.earned)
  return forecast
}

interface Seen {
  readonly days: Map<number, { paid: number; failed: number }>
  readonly failing: { id: Hex; subscriber: Address | undefined; dayNumber: number }[]
  readonly earned: Map<Address, bigint>
}

function note(here: ForecastChain, receipt: TransactionReceipt, caller: Address, seen: Seen): void {
  const events = decodeLogs(receipt.logs, here.contract)
  const dayNumber = events.filter((event) => event.type === 'CallerLog').at(-1)?.checkedDay
  if (dayNumber === undefined) throw new Error('A remit has no CallerLog')
  const day = seen.days.get(dayNumber) ?? { paid: 0, failed: 0 }
  seen.days.set(dayNumber, day)
  for (const { eventName, id, subscriber } of subLogs(here, receipt)) {
    if (eventName === 'SubscriberPaid' || eventName === 'FeeFilled') day.paid += 1
    if (eventName !== 'Failed') continue
    day.failed += 1
    seen.failing.push({ id, subscriber, dayNumber })
  }
  for (const { token, from, to, amountRaw } of transfers(here, receipt)) {
    if (from !== here.contract || to !== caller) continue
    seen.earned.set(token, (seen.earned.get(token) ?? 0n) + amountRaw)
  }
}

const subLogs = (here: ForecastChain, receipt: TransactionReceipt) =>
  decodeLogs(receipt.logs, here.contract).filter((event) => event.type === 'SubLog')

const transfers = (here: ForecastChain, receipt: TransactionReceipt) =>
  decodeLogs(receipt.logs, here.contract)
    .filter((event) => event.type === 'Transfer')
    .map(({ from, to, amountRaw, log }) => {
      const token = here.tokens.find((known) => isAddressEqual(known, log.address))
      if (token === undefined) throw new Error(`${log.address} is not a token of this test`)
      return { token, from, to, amountRaw }
    })

type Random = (below: number) => number

function pick<Element>(random: Random, from: readonly Element[]): Element {
  const element = from[random(from.length)]
  if (element === undefined) throw new Error('There is nothing to pick from')
  return element
}

/** The same numbers for the same seed (mulberry32). */
function randomNumbers(seed: number): Random {
  let state = seed
  return (below) => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below
  }
}
