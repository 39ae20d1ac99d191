import { Subscriptions } from '@remit/contracts/Subscriptions'
import { TestToken } from '@remit/contracts/TestToken'
import { type Address, erc20Abi, type Hex, type Log, maxUint256, parseEventLogs } from 'viem'
import { expect, it } from 'vitest'
import * as z from 'zod'
import { type Random, randomOf } from '../differential/random.ts'
import { contractAt } from '../support/chain/contractAt.ts'
import { Frequency, protocolOn, type Subscription } from '../support/chain/protocolOn.ts'
import { useTestChain } from '../support/chain/useTestChain.ts'
import { useTestService } from '../support/service/testService.ts'

const chain = await useTestChain({ terms: { maxRemits: 1_000n, callerFee: 10_833n } })
const protocol = protocolOn(chain)
const { alice, bob, keeper, stranger } = chain.wallets
const { usdc } = chain.tokens
const token = contractAt(chain.client, usdc, TestToken.abi)
const service = await useTestService([chain])

const FAILED = 3
const DAYS = 90
/** Few due days, so that several subscriptions fall together. */
const RHYTHMS = [
  { frequency: Frequency.WEEKLY, dueDay: 3 },
  { frequency: Frequency.WEEKLY, dueDay: 5 },
  { frequency: Frequency.MONTHLY, dueDay: 11 },
  { frequency: Frequency.QUARTERLY, dueDay: 75 },
] as const

const Day = z.object({ dayNumber: z.number() }).nullable()
const Account = z.object({
  subscribedTo: z.array(
    z.object({
      subscription: z.object({ id: z.string() }),
      covers: z.object({
        periods: z.number().nullable(),
        until: Day,
        limitedBy: z.string().nullable(),
        failsOn: Day,
      }),
    }),
  ),
})

/** How a subscription ended, or that it did not, as far as the days went. */
interface End {
  readonly periods: number
  readonly until: number | null
  readonly limitedBy: string | null
  readonly failsOn: number | null
}

const between = (random: Random, least: number, most: number) => least + random.below(most - least + 1)

function shuffled<Item>(items: readonly Item[], random: Random): Item[] {
  return items
    .map((item) => ({ item, place: random.below(1_000_000) }))
    .sort((a, b) => a.place - b.place)
    .map(({ item }) => item)
}

/** A wallet with money that runs out within some months, in subscriptions that share due days. */
async function someWallet(random: Random): Promise<Subscription[]> {
  const subscriptions: Subscription[] = []
  for (let count = between(random, 4, 6); count > 0; count -= 1) {
    // Odd in protocol units, so that fills are truncated.
    const amount =
      BigInt(between(random, 1_000_000, 12_000_000)) * 10n ** 12n + BigInt(between(random, 0, 999))
    subscriptions.push(await protocol.create({ amount, ...random.pick(RHYTHMS) }))
  }
  // A second subscriber keeps each of them on its due list, in an order of its own.
  for (const subscription of shuffled(subscriptions, random)) await protocol.join(subscription, bob)
  for (const subscription of shuffled(subscriptions, random)) await protocol.join(subscription, alice)
  const balance = BigInt(between(random, 10_000_000, 90_000_000))
  await protocol.fund(usdc, alice, { balance })
  const surplus = (await protocol.balanceOf(usdc, alice)) - balance
  await token.send(alice, 'transfer', [stranger, surplus])
  const allowance = random.oneIn(4) ? maxUint256 : BigInt(between(random, 10_000_000, 90_000_000))
  await protocol.fund(usdc, alice, { allowance })
  return subscriptions
}

/** The logs of one remit; `undefined` where nothing is due any more. */
async function remit(): Promise<Log[] | undefined> {
  try {
    return await protocol.send(keeper, 'remit', [])
  } catch (error) {
    if (error instanceof Error && error.message === 'remit reverts with 6') return undefined
    throw error
  }
}

function takenAfter(logs: readonly Log[], place: number): bigint {
  return parseEventLogs({ abi: erc20Abi, eventName: 'Transfer', logs: [...logs] })
    .filter(({ args, logIndex }) => args.from === alice && logIndex > place)
    .reduce((sum, { args }) => sum + args.value, 0n)
}

/** Lets the days pass, remits them one by one, and tells what became of alice's subscriptions. */
async function live(subscriptions: readonly Subscription[]): Promise<Map<Hex, End>> {
  const ends = new Map<Hex, End>(
    subscriptions.map(({ id }) => [id, { periods: 0, until: null, limitedBy: null, failsOn: null }]),
  )
  await chain.advanceDays(DAYS)
  for (let logs = await remit(); logs !== undefined; logs = await remit()) {
    const events = parseEventLogs({ abi: Subscriptions.abi, logs })
    const day = events.filter(({ eventName }) => eventName === 'CallerLog').at(-1)
    const checkedDay = day?.eventName === 'CallerLog' ? Number(day.args.checkedDay) : expect.fail('no day')
    for (const event of events) {
      if (event.eventName !== 'SubLog' || event.args.subscriber !== alice) continue
      const { id, subScriptEvent } = event.args
      const end = ends.get(id) ?? expect.fail('another subscription')
      if (subScriptEvent === FAILED) {
        const full = await protocol.toRaw(usdc, subscriptions.find((row) => row.id === id)?.amount ?? 0n)
        const balance = (await protocol.balanceOf(usdc, alice)) + takenAfter(logs, event.logIndex)
        ends.set(id, { ...end, limitedBy: balance < full ? 'balance' : 'allowance', failsOn: checkedDay })
        // What is paid says SUBPAID, and where the fee balance is filled FEEFILL.
      } else if (subScriptEvent === 5 || subScriptEvent === 8) {
        ends.set(id, { ...end, periods: end.periods + 1, until: checkedDay })
      }
    }
  }
  return ends
}

async function foretold(account: Address): Promise<Map<string, End>> {
  await service.caughtUp()
  const { body } = await service.get(`/accounts/${account}`)
  return new Map(
    Account.parse(body).subscribedTo.map(({ subscription, covers }) => [
      subscription.id,
      {
        periods: covers.periods ?? Number.POSITIVE_INFINITY,
        until: covers.until?.dayNumber ?? null,
        limitedBy: covers.limitedBy,
        failsOn: covers.failsOn?.dayNumber ?? null,
      },
    ]),
  )
}

it.each([1, 2, 3])(
  'a wallet is dropped on the very day and for the very reason that was told (seed %i)',
  async (seed) => {
    const subscriptions = await someWallet(randomOf(seed))
    const told = await foretold(alice)
    const lastDay = Math.floor((await chain.now()) / 86_400) + DAYS
    const ends = await live(subscriptions)
    expect([...ends.values()].some(({ failsOn }) => failsOn !== null)).toBe(true)
    for (const { id } of subscriptions) {
      const said = told.get(id) ?? expect.fail('nothing was told')
      const isLater = said.failsOn === null || said.failsOn > lastDay
      if (isLater) expect(ends.get(id)?.failsOn).toBeNull()
      else expect(said).toEqual(ends.get(id))
    }
  },
)
