import { type Address, type ContractFunctionReturnType, decodeFunctionResult, encodeFunctionData } from 'viem'
import type { BacklogEntry, BacklogState, WalletToken } from '../../core/ports/chainReads.ts'
import { subscriptionTerms } from '../../protocol/subscription.ts'
import { type DueSlot, dueSlots, packSlots } from './dueSlots.ts'
import { askPages, type Lens, lensAbi } from './lens.ts'
import { protocolSettings, TokenMap, toCount } from './lensRows.ts'

type BacklogPage = ContractFunctionReturnType<typeof lensAbi, 'view', 'backlog'>[1]
type Entry = BacklogPage['entries'][number]

const FROM_THE_START = { entry: 0n, subscriber: 0n }

/** Everything from the next unchecked day up to `today`, however far apart they are. Mostly in one page. */
export async function readBacklog(lens: Lens, caller: Address, today: number): Promise<BacklogState> {
  const slots = dueSlots(today)
  const packed = packSlots(slots)
  const pages = await askPages(
    FROM_THE_START,
    ({ entry, subscriber }) => {
      const args = [lens.protocol, caller, packed, entry, subscriber] as const
      const question = encodeFunctionData({ abi: lensAbi, functionName: 'backlog', args })
      return lens.ask(
        question,
        (data) => decodeFunctionResult({ abi: lensAbi, functionName: 'backlog', data })[1],
      )
    },
    ({ next, nextSubscriber }) =>
      next === 0n && nextSubscriber === 0n ? undefined : { entry: next, subscriber: nextSubscriber },
  )
  const [first] = pages
  if (first === undefined) throw new RangeError('a backlog has one page at least')
  const settings = protocolSettings(first.settings)
  const entries = joinEntries(pages)
  return {
    settings,
    admin: first.admin,
    nativeBalance: first.nativeBalance,
    lists: listsOf(slots, entries, new TokenMap(pages.flatMap((page) => page.tokens))),
    wallets: walletsOf(entries),
  }
}

/** An entry whose subscribers did not fit into one page goes on in the next. */
function joinEntries(pages: readonly BacklogPage[]): Entry[] {
  const joined = new Map<string, Entry>()
  for (const entry of pages.flatMap((page) => page.entries)) {
    const begun = joined.get(entry.subscription.id)
    joined.set(
      entry.subscription.id,
      begun ? { ...begun, subscribers: [...begun.subscribers, ...entry.subscribers] } : entry,
    )
  }
  return [...joined.values()]
}

function listsOf(
  slots: readonly DueSlot[],
  entries: readonly Entry[],
  tokens: TokenMap,
): BacklogState['lists'][number][] {
  const lists = new Map<DueSlot, BacklogEntry[]>()
  for (const entry of entries) {
    const slot = slots[Number(entry.slot)]
    if (slot === undefined) throw new RangeError('the answer names a due list that was not asked for')
    const list = lists.get(slot) ?? []
    lists.set(slot, list)
    list.push(backlogEntry(entry, tokens))
  }
  return [...lists].map(([{ frequency, dueDay }, list]) => ({ frequency, dueDay, entries: list }))
}

function backlogEntry(entry: Entry, tokens: TokenMap): BacklogEntry {
  const terms = subscriptionTerms(entry.subscription)
  const setSize = toCount(entry.setSize)
  const listedCount = toCount(entry.listed)
  return {
    terms,
    token: tokens.get(terms.token),
    subscribers: entry.subscribers.map(({ subscriber, feeBalance }) => ({ subscriber, feeBalance })),
    listedCount,
    setSize,
    hiddenSubscribers: entry.readable ? 0 : Math.max(0, setSize - listedCount),
  }
}

function walletsOf(entries: readonly Entry[]): (WalletToken & { account: Address })[] {
  const wallets = new Map<string, WalletToken & { account: Address }>()
  for (const { subscription, subscribers } of entries) {
    const { token } = subscription
    for (const { subscriber, balance, allowance } of subscribers) {
      wallets.set(`${token}:${subscriber}`, { token, account: subscriber, balance, allowance })
    }
  }
  return [...wallets.values()]
}
