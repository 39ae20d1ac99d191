import { dayNumberOf } from '@remit/protocol/calendar'
import type { DueList, RemitBacklog, RemitEntry, RemitSubscriber } from '@remit/protocol/remit/remitState'
import type { Frequency } from '@remit/protocol/subscription'
import { getAddress, type Hex, numberToHex } from 'viem'

export const address = (number: number) => getAddress(numberToHex(number, { size: 20 }))
export const idOf = (number: number): Hex => numberToHex(number, { size: 32 })

export const token = address(0x7001)
export const provider = address(0xa1)
export const caller = address(0xca)
export const contract = address(0xc0)
export const [ann, bob, cem, dee] = [address(1), address(2), address(3), address(4)]

// Monday 2025-09-01: a Monday and the first of a month.
export const monday = dayNumberOf('2025-09-01') ?? Number.NaN

/** A subscription as far as a test cares. */
export interface Plan {
  readonly id: number
  readonly frequency?: Frequency
  readonly dueDay?: number
  readonly amount?: bigint
  readonly cancelled?: boolean
  readonly paused?: boolean
  readonly unsubscribedCount?: number
  readonly setSize?: number
  readonly subscribers?: readonly (Hex | RemitSubscriber)[]
}

/** A subscription with 18 decimals whose subscribers hold a fee balance of 100, enough for many fees. */
function entry({
  id,
  frequency = 0,
  dueDay = 1,
  amount = 1_000n,
  subscribers = [ann],
  ...rest
}: Plan): RemitEntry {
  const { cancelled = false, paused = false, ...sizes } = rest
  return {
    terms: { id: idOf(id), amount, provider, token, cancelled, frequency, dueDay },
    paused,
    decimals: 18,
    subscribers: subscribers.map((subscriber) =>
      typeof subscriber === 'string' ? { address: subscriber, feeBalance: 100n } : subscriber,
    ),
    ...sizes,
  }
}

function listsOf(plans: readonly Plan[]): DueList[] {
  const lists = new Map<string, DueList & { entries: RemitEntry[] }>()
  for (const plan of plans) {
    const { frequency = 0, dueDay = 1 } = plan
    const key = `${frequency}:${dueDay}`
    const list = lists.get(key) ?? { frequency, dueDay, entries: [] }
    list.entries.push(entry(plan))
    lists.set(key, list)
  }
  return [...lists.values()]
}

export const rich = (account: Hex) => ({ token, account, balance: 10n ** 30n, allowance: 10n ** 30n })

/** What a remit would find where these are its due lists: by default nobody is short of anything. */
export function backlog(plans: readonly Plan[], changes: Partial<RemitBacklog> = {}): RemitBacklog {
  return {
    currentDay: monday,
    nextUncheckedDay: monday,
    maxRemits: 10,
    callerFee: 10_200n,
    systemFee: undefined,
    lists: listsOf(plans),
    funds: [ann, bob, cem, dee].map(rich),
    accounts: { contract, caller },
    ...changes,
  }
}
