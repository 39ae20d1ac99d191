import { subscriptionTerms } from '@remit/protocol/subscription'
import {
  type Address,
  type ContractFunctionReturnType,
  decodeFunctionResult,
  encodeFunctionData,
  type Hex,
} from 'viem'
import { ViewFailedError } from '../errors/chain.ts'
import {
  type BacklogEntry,
  type BacklogState,
  BacklogTooLongError,
  type WalletToken,
} from '../ports/chainReads.ts'
import { type DueSlot, dueSlots, packSlots } from './dueSlots.ts'
import { askPages, type Lens, lensAbi, viewTooLarge } from './lens.ts'
import { protocolSettings, TokenMap, toCount } from './lensRows.ts'

// The backlog is read in pages, each one question to the lens (lens.ts): the due lists from the next unchecked day up to today, each
// with its subscriptions (entries) and their subscribers with fee balance, balance and allowance. The lens stops a page when gas runs
// low, in the middle of an entry if need be, and says where to go on.

type BacklogPage = ContractFunctionReturnType<typeof lensAbi, 'view', 'backlog'>[1]
type Entry = BacklogPage['entries'][number]

const FROM_THE_START = { entry: 0n, subscriber: 0n }

/**
 * How many pages are read at most. Each runs the views of the lists anew and takes a node up to 100 ms, and a caller waits two seconds. A
 * simulation tells more in that time.
 */
const MOST_PAGES = 8

/**
 * The subscriber set of a subscription, as the contract keeps it, has a place for each subscriber, and some for accounts that have
 * left and that the contract's view does not list. So many such places are accepted: a forecast walks each of them as remit does, and a
 * faulty node can name any number.
 */
const MOST_PLACES_WITHOUT_ROW = 100_000n

/**
 * The backlog of remit: everything from the next unchecked day up to `today`, however far apart they are. Mostly in one page. Where a list or a
 * set is too large for the node, or pages are too many, nothing of it counts as read.
 *
 * Throws BacklogTooLongError once it has read `mostRows` subscribers and there are more.
 */
export async function readBacklog(
  lens: Lens,
  caller: Address,
  bounds: { today: number; mostRows: number },
): Promise<BacklogState> {
  try {
    return await readWhole(lens, caller, bounds)
  } catch (error) {
    if (!(error instanceof ViewFailedError)) throw error
  }
  // A question without due lists (`packed: '0x'`) still answers settings, admin and the caller's balance.
  const { settings, admin, nativeBalance } = await askPage(lens, caller, { packed: '0x', ...FROM_THE_START })
  return {
    isRead: false,
    settings: protocolSettings(settings),
    admin,
    nativeBalance,
    lists: [],
    wallets: [],
  }
}

async function readWhole(
  lens: Lens,
  caller: Address,
  { today, mostRows }: { today: number; mostRows: number },
): Promise<BacklogState> {
  let rows = 0
  let pagesRead = 0
  const slots = dueSlots(today)
  const packed = packSlots(slots)
  const pages = await askPages(
    FROM_THE_START,
    (from) => askPage(lens, caller, { packed, ...from }),
    ({ total, next, nextSubscriber, entries }) => {
      // Where it would go on from the start, that was all.
      if (next === 0n && nextSubscriber === 0n) return undefined
      // An entry counts as one row more: reading one without subscribers costs as much as a subscriber.
      rows += entries.reduce((sum, { subscribers }) => sum + 1 + subscribers.length, 0)
      pagesRead += 1
      if (rows >= mostRows) throw new BacklogTooLongError(`more than ${mostRows} rows up to day ${today}`)
      if (pagesRead === MOST_PAGES || needsTooManyPages({ pagesRead, next, total }))
        throw viewTooLarge('getSubscribersById', lens.protocol)
      return { entry: next, subscriber: nextSubscriber }
    },
  )
  const [first] = pages
  if (first === undefined) throw new RangeError('a backlog has one page at least')
  const settings = protocolSettings(first.settings)
  const entries = joinEntries(pages)
  if (placesWithoutRow(entries) > MOST_PLACES_WITHOUT_ROW)
    throw viewTooLarge('getSubscribersById', lens.protocol)
  return {
    isRead: true,
    settings,
    admin: first.admin,
    nativeBalance: first.nativeBalance,
    lists: listsOf(slots, entries, new TokenMap(pages.flatMap((page) => page.tokens))),
    wallets: walletsOf(entries),
  }
}

/** Entries differ in size: from this many on, what a page holds tells how many pages there will be. */
const TELLING_ENTRIES = 20n

/** Whether the pages so far, which reach up to the entry `next` of `total`, show that there will be more than MOST_PAGES at this rate. */
function needsTooManyPages({
  pagesRead,
  next,
  total,
}: {
  pagesRead: number
  next: bigint
  total: bigint
}): boolean {
  return next >= TELLING_ENTRIES && BigInt(pagesRead) * total > BigInt(MOST_PAGES) * next
}

function askPage(
  lens: Lens,
  caller: Address,
  { packed, entry, subscriber }: { packed: Hex; entry: bigint; subscriber: bigint },
): Promise<BacklogPage> {
  const args = [lens.protocol, caller, packed, entry, subscriber] as const
  const question = encodeFunctionData({ abi: lensAbi, functionName: 'backlog', args })
  const decode = (data: Hex) => decodeFunctionResult({ abi: lensAbi, functionName: 'backlog', data })[1]
  return lens.ask(question, decode, { unboundedView: 'getSubscribersById' })
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

/** How many places of the sets have no row: accounts that the contract's view does not list. */
function placesWithoutRow(entries: readonly Entry[]): bigint {
  const missing = entries.map(({ setSize, subscribers }) => setSize - BigInt(subscribers.length))
  return missing.reduce((sum, count) => (count > 0n ? sum + count : sum), 0n)
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
  const unsubscribedCount = toCount(entry.listed)
  return {
    terms,
    token: tokens.get(terms.token),
    subscribers: entry.subscribers.map(({ subscriber, feeBalance }) => ({ subscriber, feeBalance })),
    unsubscribedCount,
    setSize,
    // Not readable: the contract's view of the set panics. Only the sizes of the set and of the unsubscribed list are known.
    hiddenSubscribers: entry.readable ? 0 : Math.max(0, setSize - unsubscribedCount),
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
