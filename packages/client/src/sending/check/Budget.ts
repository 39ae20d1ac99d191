/**
 * The client's `budget`: how much a wallet may be committed to per month, checked before each signature that subscribes.
 *
 * The chain counts what is mined. What was let through and is not mined yet takes room here, or two flows at once could each find enough
 * and together exceed the limit. A flow takes its room (`take`) before each signature, and says when its transaction is mined. The room is
 * given back once the wallet's node shows the subscription, which then counts by the chain, or once it is certain that it never will.
 */

import { type MonthlyParts, monthlyParts, PARTS_PER_MONTH, roundedUp } from '@remit/protocol/perMonth'
import { type Address, formatUnits, getAddress, type Hex, isAddress, isAddressEqual } from 'viem'
import { sleep } from '../../request/Deadline.ts'
import { type ChainReads, type ChainTerms, type KnownSubscription, knownTerms } from '../ChainReads.ts'
import { ChainReadError, OverBudgetError } from '../errors.ts'

/** The wallet that is about to commit itself, and how its own node is read. */
interface Committing {
  readonly chainId: number
  readonly account: Address
  readonly reads: Pick<ChainReads, 'head' | 'subscribed'>
  /** The block of the client's last transaction on the chain, which the node has to have. */
  readonly lastBlock: () => number | undefined
  readonly pollingIntervalMs: number
  readonly signal?: AbortSignal | undefined
}

/** So often the node is asked to be at that block: behind one address there can be several, one of which is a moment behind. */
const MOST_LOOKS = 5

/**
 * All that remit charges the wallet for, at one block of its node: the latest, once that has the client's own last transaction. Throws
 * ChainReadError where the node does not get there.
 */
async function activeSubscriptions(
  { account, reads, lastBlock, pollingIntervalMs, signal }: Committing,
  onWait: (forMs: number) => void,
): Promise<{ readonly active: ChainTerms[]; readonly blockNumber: number }> {
  for (let look = 1; ; look += 1) {
    const { blockNumber } = await reads.head()
    const active = await reads.subscribed(account, blockNumber)
    // Asked after reading: another flow's transaction may have been mined meanwhile.
    const own = lastBlock() ?? 0
    if (own <= blockNumber) return { active, blockNumber }
    if (look === MOST_LOOKS) {
      const cause = new Error(`The node is at block ${blockNumber}, and the last transaction is in ${own}.`)
      throw new ChainReadError(`What ${account} subscribes to`, cause)
    }
    onWait(pollingIntervalMs)
    await sleep(pollingIntervalMs, signal)
  }
}

/** The most that a wallet may be committed to in one token. */
export interface BudgetEntry {
  readonly token: Address
  /** In the token's smallest unit, over all active subscriptions of the wallet in this token. */
  readonly perMonthRaw: bigint
}

/** The room that one subscribe takes of a budget, from when it is let through until its end is known. */
export interface Room {
  /**
   * Throws OverBudgetError where there is too little, ChainReadError where the wallet's subscriptions cannot be read.
   * Taken again before each signature, it counts once.
   * @param onWait told of each wait for the node
   */
  take(onWait: (forMs: number) => void): Promise<void>
  /** For what was sent already, by an earlier run of the program: takes its room, even beyond the limit. */
  hold(): void
  /** Told that it is in this block: the room is given back once the wallet's node has that block, however far behind it is. */
  mined(blockNumber: number): void
  /** Gives the room back: it is certain that the chain will never show the subscription. */
  release(): void
}

/** A subscription that a flow is about to make, or has made. */
interface Commitment {
  readonly wallet: Committing
  readonly known: KnownSubscription
  /** The block that it was mined in, once that is known. */
  minedIn?: number
}

/**
 * The limits that a program has set for what its wallets may be committed to per month.
 *
 * Every active subscription of the wallet in the token counts, as the contract tells it through the wallet's own node: a weekly
 * one 20871/4800 times a month (the weeks of the calendar's 400 years over their months), a quarterly one a third, a yearly one a
 * twelfth. Fractions are exact, and nothing is rounded before it is compared. A token without an entry has no room.
 */
export class Budget {
  readonly #limits: ReadonlyMap<Address, bigint>
  /** What was let through and may still be mined: it takes room before the chain shows it. */
  readonly #open = new Set<Commitment>()

  /** Throws TypeError or RangeError for invalid entries. */
  constructor(entries: readonly BudgetEntry[]) {
    const limits = new Map<Address, bigint>()
    for (const { token, perMonthRaw } of entries) {
      if (!isAddress(token)) throw new TypeError(`budget has the token ${token}, which is not an address`)
      if (typeof perMonthRaw !== 'bigint')
        throw new TypeError(`perMonthRaw of ${token} in budget is not a bigint`)
      if (perMonthRaw < 0n) throw new RangeError(`perMonthRaw of ${token} in budget is below 0`)
      if (limits.has(getAddress(token))) throw new TypeError(`budget has the token ${token} twice`)
      limits.set(getAddress(token), perMonthRaw)
    }
    this.#limits = limits
  }

  /** The room for subscribing, before it is taken. */
  roomFor(known: KnownSubscription, wallet: Committing): Room {
    const wanted: Commitment = { wallet, known }
    return {
      take: async (onWait) => {
        const { active, blockNumber } = await activeSubscriptions(wallet, onWait)
        // No `await` from here on. So of two flows at once, one runs through to its end, and the other then counts what it has taken.
        this.#settle(wanted, active, blockNumber)
        this.#assertRoom(wanted, active)
        this.#open.add(wanted)
      },
      hold: () => {
        this.#open.add(wanted)
      },
      mined: (blockNumber) => {
        wanted.minedIn = blockNumber
      },
      release: () => this.#open.delete(wanted),
    }
  }

  /** Once the chain shows a subscription, its room is released: from then on the chain's own list counts it. */
  #settle(wanted: Commitment, active: readonly ChainTerms[], blockNumber: number): void {
    const shown = new Set(active.map(({ id }) => id))
    for (const open of this.#open) {
      const { minedIn = Number.POSITIVE_INFINITY, known } = open
      const isTold = shown.has(known.terms.id) || minedIn <= blockNumber
      if (isTold && sharesRoom(open, wanted)) this.#open.delete(open)
    }
  }

  #assertRoom(wanted: Commitment, active: readonly ChainTerms[]): void {
    const { terms, decimals } = wanted.known
    const { id, token } = terms
    const held = [...this.#open].filter((open) => sharesRoom(open, wanted)).map(({ known }) => known.terms)
    const inToken = active.filter((other) => isAddressEqual(other.token, token))
    const byId = new Map<Hex, ChainTerms>([...held, ...inToken].map((other) => [other.id, other]))
    byId.delete(id)
    const partsOf = (one: ChainTerms): MonthlyParts => monthlyParts(knownTerms(one), decimals)
    const before = [...byId.values()].reduce((sum, other) => sum + partsOf(other), 0n)
    const after = before + partsOf(terms)

    const perMonthRaw = this.#limits.get(getAddress(token))
    if (perMonthRaw !== undefined && after <= perMonthRaw * PARTS_PER_MONTH) return
    throw new OverBudgetError(id, {
      token,
      perMonthRaw: perMonthRaw ?? null,
      committedRaw: roundedUp(before),
      wouldBeRaw: roundedUp(after),
      inWords: (raw) => formatUnits(raw, decimals),
    })
  }
}

/** Whether two draw on the same room: one wallet's, in one token. */
function sharesRoom(one: Commitment, other: Commitment): boolean {
  return (
    one.wallet.chainId === other.wallet.chainId &&
    isAddressEqual(one.wallet.account, other.wallet.account) &&
    isAddressEqual(one.known.terms.token, other.known.terms.token)
  )
}
