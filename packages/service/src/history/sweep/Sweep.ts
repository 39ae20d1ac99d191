import { ViewFailedError } from '@remit/engine/errors/chain'
import { groupBy } from '@remit/engine/indexing/groupBy'
import { BlockGoneError, type ChainsPort, type ChainView } from '@remit/engine/ports/chains'
import type { BlockRef } from '@remit/engine/ports/history'
import type { Log } from '@remit/engine/ports/log'
import type { ChargedMembership, Verdict } from '@remit/engine/ports/verdicts'
import { type JudgedMembership, readVerdicts } from '@remit/engine/verdicts/readVerdicts'
import { type SeenCharges, seeCharges } from '@remit/engine/verdicts/seenCharges'
import { Notifier } from '@remit/engine/waiting/Notifier'
import { pause } from '@remit/engine/waiting/pause'
import { SECONDS_PER_DAY } from '@remit/protocol/calendar'
import { statesWhatMoves } from '@remit/protocol/payments/Payment'
import type { TokenTransfer } from '@remit/protocol/remit/remitState'
import type { Address } from 'viem'
import { Outage } from '../Outage.ts'
import {
  type Lease,
  LeaseLostError,
  type ProjectionReader,
  type TokenCheck,
  type VerdictStore,
  type WatchStore,
} from '../projection.ts'

/** Memberships of one page. They take one question to the lens and one trial. */
const PAGE_ROWS = 400
/** Payers of whom a page begins to read: each may have further memberships. */
const PAGE_PAYERS = 300
/** A payer with more memberships in one token is not judged: nobody could bound the work. */
const MOST_OF_PAYER = 2_000
/** The most questions that one page can take. */
export const MOST_REQUESTS = 30

/** What a page counts as whose questions failed. */
const FAILED_REQUESTS = 3

/** How often it looks for what has become due, if no step says so. */
const IDLE_MS = 15_000
/** After a failure of the store or a node. Sooner would add to what they suffer from. */
const RETRY_MS = 5_000

/** What a sweep has to do, and may. */
export interface SweepHealth {
  /** Verdicts that are to be read; `null` until it has looked. */
  readonly due: number | null
  readonly requestsLastHour: number
  readonly requestsPerHour: number
}

interface SweepOptions {
  readonly chainId: number
  readonly chains: Pick<ChainsPort, 'withView'>
  readonly reader: Pick<ProjectionReader, 'snapshot'>
  readonly store: VerdictStore
  readonly isSynced: () => boolean
  readonly requestsPerHour: number
  readonly pagePayers?: number
  readonly watch?: UnloggedStateWatch
  readonly log: Log
  readonly now?: () => number
}

/**
 * Reads the verdicts of a chain that are due, page by page, within a budget of requests. One process does so: the one that
 * fills the index.
 *
 * A page is one transaction. A process that is killed between two of them loses nothing.
 */
export class Sweep {
  readonly #options: SweepOptions
  readonly #budget: RequestBudget
  readonly #outage: Outage
  readonly #news = new Notifier()
  readonly #pagePayers: number
  #due: number | null = null

  /**
   * @param options.requestsPerHour 0 for no sweep
   * @param options.isSynced whether the index is at the head. Nodes do not keep the state of much older blocks
   * @param options.pagePayers payers of whom a page begins to read; default 300
   * @param options.watch looks at what no log tells, between pages
   * @param options.now a clock in milliseconds
   */
  constructor(options: SweepOptions) {
    this.#options = options
    const { chainId, log } = options
    this.#pagePayers = options.pagePayers ?? PAGE_PAYERS
    this.#budget = new RequestBudget(options.requestsPerHour, options.now)
    this.#outage = new Outage({ what: 'the sweep of verdicts', chainId, log })
  }

  health(): SweepHealth {
    return {
      due: this.#due,
      requestsLastHour: this.#budget.spent(),
      requestsPerHour: this.#budget.perHour,
    }
  }

  /** A step was written: verdicts may be due. */
  stepWritten(): void {
    this.#news.notify()
  }

  /** Sweeps until the signal aborts or the lease is lost. Never rejects. */
  async run(lease: Lease, signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      try {
        const waitMs = this.#budget.waitMs(MOST_REQUESTS)
        const mayAsk = waitMs === 0 && this.#options.isSynced()
        if (mayAsk) await this.#look(lease, signal)
        const mayBeMore = mayAsk && (await this.sweepPage(lease, signal))
        this.#outage.worked()
        // Where the budget is free, or too small for ever, it is news or time that brings the next page.
        const idleMs = waitMs === undefined || waitMs === 0 ? IDLE_MS : Math.min(waitMs, IDLE_MS)
        if (!mayBeMore) await this.#news.wait(idleMs, signal)
      } catch (error) {
        if (signal.aborted || error instanceof LeaseLostError) return
        if (!(error instanceof BlockGoneError)) this.#outage.failed(error)
        await pause(RETRY_MS, signal)
      }
    }
  }

  /**
   * Reads one page of due verdicts at the index's block, and writes it. Tells whether there was anything to read.
   *
   * Throws LeaseLostError, BlockGoneError and the errors of the node and the store.
   */
  async sweepPage(lease: Lease, signal: AbortSignal): Promise<boolean> {
    const { chains, reader, chainId } = this.#options
    // Of the snapshot only its block is wanted.
    const found = await reader.snapshot(chainId, async () => undefined)
    if (found === undefined) return false
    const { block } = found.indexState
    return chains.withView(chainId, { block, signal }, (view) => this.#sweepAt(lease, block, view))
  }

  async #look(lease: Lease, signal: AbortSignal): Promise<void> {
    const { watch } = this.#options
    if (!watch?.isDue) return
    this.#budget.spend(WATCH_REQUESTS)
    await watch.look(lease, signal)
  }

  async #sweepAt(lease: Lease, block: BlockRef, view: ChainView): Promise<boolean> {
    const { reader, store, chainId } = this.#options
    const payers = await store.duePayers(chainId, view.now, this.#pagePayers)
    if (payers.length === 0) {
      this.#due = 0
      return false
    }
    const known = await reader.snapshot(chainId, async (queries) => ({
      memberships: await queries.chargedMemberships(payers),
      lists: await queries.dueMembers(),
    }))
    const { page, tooMany } = pageOf(known?.rows.memberships ?? [])
    const seen = await this.#spending(() => seeCharges(view, known?.rows.lists ?? []))
    const judged = await this.#readPage(view, page, seen)
    const read = [...judged, ...tooMany.map((membership) => ({ ...membership, verdict: undefined }))]
    await store.writeVerdicts(
      lease,
      block,
      read.map(({ subscriber, terms, verdict }) => ({
        subscriptionId: terms.id,
        subscriber,
        verdict,
        sweepAt: sweepAgainAt(verdict, view.now),
      })),
      view.now,
    )
    const transfers = judged.flatMap((each) => each.transfers)
    await checkTokens(store, lease, block, {
      view,
      transfers,
      onAsk: () => this.#budget.spend(1),
    })
    this.#due = await store.countDue(chainId, view.now)
    return true
  }

  /** Spends what a question took, whether it was answered or failed. */
  async #spending<Answer extends { readonly requests: number }>(ask: () => Promise<Answer>): Promise<Answer> {
    let requests = FAILED_REQUESTS
    try {
      const answer = await ask()
      requests = answer.requests
      return answer
    } finally {
      this.#budget.spend(requests)
    }
  }

  /** Where a view of one token cannot be read, only its memberships go without a verdict. */
  async #readPage(
    view: ChainView,
    page: readonly ChargedMembership[],
    seen: SeenCharges,
  ): Promise<readonly JudgedMembership[]> {
    const judged: JudgedMembership[] = []
    try {
      return await this.#read(view, page, seen)
    } catch (error) {
      if (!(error instanceof ViewFailedError)) throw error
    }
    for (const ofToken of groupBy(page, ({ terms }) => terms.token).values()) {
      try {
        judged.push(...(await this.#read(view, ofToken, seen)))
      } catch (error) {
        if (!(error instanceof ViewFailedError)) throw error
        judged.push(...ofToken.map((membership) => ({ ...membership, verdict: undefined, transfers: [] })))
      }
    }
    return judged
  }

  async #read(view: ChainView, memberships: readonly ChargedMembership[], seen: SeenCharges) {
    return (await this.#spending(() => readVerdicts(view, memberships, seen))).judged
  }
}

/**
 * Whole payers, until the page is full; the others stay due. The first one is always in it, unless it has too many
 * memberships.
 */
function pageOf(memberships: readonly ChargedMembership[]) {
  const payers = groupBy(memberships, ({ subscriber, terms }) => `${subscriber}:${terms.token}`.toLowerCase())
  const page: ChargedMembership[] = []
  const tooMany: ChargedMembership[] = []
  for (const ofPayer of payers.values()) {
    if (ofPayer.length > MOST_OF_PAYER) tooMany.push(...ofPayer)
    else if (page.length === 0 || page.length + ofPayer.length <= PAGE_ROWS) page.push(...ofPayer)
  }
  return { page, tooMany }
}

/** How long a check counts. A token's code or settings may change. */
const CHECK_AGAIN_AFTER = 7 * SECONDS_PER_DAY
/** Tokens that one page checks, all by one question. */
const MOST_TOKENS = 4

/**
 * Tries one transfer of each token that was not checked for a week, and keeps whether its logs state what it moves. A
 * token whose transfer cannot be tried stays as it was.
 *
 * @param page.transfers what remit would make, of those that their tokens do not refuse
 * @param page.onAsk called before the node is asked, if it is
 */
async function checkTokens(
  store: Pick<VerdictStore, 'tokensToCheck' | 'writeTokenChecks'>,
  lease: Lease,
  block: BlockRef,
  page: {
    readonly view: ChainView
    readonly transfers: readonly TokenTransfer[]
    readonly onAsk: () => void
  },
): Promise<void> {
  // A share that is kept shows best on the largest amount.
  const largest = new Map<Address, TokenTransfer>()
  for (const transfer of page.transfers) {
    const known = largest.get(transfer.token)
    if (transfer.amountRaw > (known?.amountRaw ?? 0n)) largest.set(transfer.token, transfer)
  }
  const since = block.timestamp - CHECK_AGAIN_AFTER
  const due = new Set(await store.tokensToCheck(lease.chainId, [...largest.keys()], since))
  const tried = [...largest.values()].filter(({ token }) => due.has(token)).slice(0, MOST_TOKENS)
  if (tried.length === 0) return
  page.onAsk()
  const trials = await page.view.remit.tryCredits(tried)
  const checks = tried.flatMap(({ token }, index): TokenCheck[] => {
    const trial = trials[index]
    return trial === undefined ? [] : [{ token, differs: !statesWhatMoves(trial) }]
  })
  await store.writeTokenChecks(lease, block, checks)
}

const HOUR = 3_600

/** How long before a due day begins its verdict is read once more. */
const BEFORE_DUE = [7 * SECONDS_PER_DAY, 3 * SECONDS_PER_DAY, SECONDS_PER_DAY, 6 * HOUR]
/** A verdict lists the charges of four months, and an answer may ask for three of them. */
const OLDEST = 30 * SECONDS_PER_DAY
/** While a due day is past and remit has not come. */
const OVERDUE = 6 * HOUR
/** Who is short may have been paid meanwhile, and a token may not be paused any more. */
const TROUBLED = SECONDS_PER_DAY
/** Without a verdict: a token that could not be read, or a payer with too many memberships. */
const FAILED = HOUR

/**
 * When a verdict is to be read again. Events that concern it make it due at once, whatever this says.
 * @param now unix seconds
 */
export function sweepAgainAt(verdict: Verdict | undefined, now: number): number {
  if (verdict === undefined) return now + FAILED
  const { firstDay, charges, trouble } = verdict
  const usual = Math.min(nextLook(firstDay, now), now + OLDEST)
  // P is a charge that is paid, F one that fills the fee balance (`Verdict.charges`).
  const isPaid = trouble === null && /[PF]/.test(charges)
  return isPaid ? usual : Math.min(usual, now + TROUBLED)
}

function nextLook(firstDay: number | null, now: number): number {
  if (firstDay === null) return now + OLDEST
  const due = firstDay * SECONDS_PER_DAY
  const looks = BEFORE_DUE.map((before) => due - before)
  return [...looks, due].find((at) => at > now) ?? now + OVERDUE
}

const HOUR_MS = 3_600_000

/** How many requests may be made in any hour: an exact log of those that were made. */
export class RequestBudget {
  readonly perHour: number
  readonly #now: () => number
  #spent: { readonly at: number; readonly requests: number }[] = []

  /** @param now a clock in milliseconds */
  constructor(perHour: number, now: () => number = () => performance.now()) {
    this.perHour = perHour
    this.#now = now
  }

  spend(requests: number): void {
    this.#spent.push({ at: this.#now(), requests })
  }

  /** How many were made in the last hour. */
  spent(): number {
    this.#forget()
    return this.#spent.reduce((sum, { requests }) => sum + requests, 0)
  }

  /** How long it takes until so many more requests may be made; 0 if that is at once, `undefined` if never. */
  waitMs(requests: number): number | undefined {
    if (requests > this.perHour) return undefined
    this.#forget()
    let over = this.spent() + requests - this.perHour
    for (const { at, requests: made } of this.#spent) {
      if (over <= 0) return 0
      over -= made
      if (over <= 0) return Math.max(1, at + HOUR_MS - this.#now())
    }
    return 0
  }

  #forget(): void {
    const since = this.#now() - HOUR_MS
    this.#spent = this.#spent.filter(({ at }) => at > since)
  }
}

/** How often the state that no log tells is looked at. */
const EVERY_MS = 60_000
/** Questions of one look: the tokens, and the protocol's settings. */
const WATCH_REQUESTS = 2

interface WatchOptions {
  readonly chainId: number
  readonly chains: Pick<ChainsPort, 'withView'>
  readonly reader: Pick<ProjectionReader, 'snapshot'>
  readonly store: WatchStore
  readonly now?: () => number
}

/** Looks at what no log tells: which tokens are paused, and how far remit is. */
export class UnloggedStateWatch {
  readonly #options: Required<WatchOptions>
  #lookedAt = Number.NEGATIVE_INFINITY

  /** @param options.now a clock in milliseconds */
  constructor(options: WatchOptions) {
    this.#options = { now: () => performance.now(), ...options }
  }

  /** Whether it is time to look again. */
  get isDue(): boolean {
    return this.#options.now() - this.#lookedAt >= EVERY_MS
  }

  /** Throws LeaseLostError, BlockGoneError and the errors of the node and the store. */
  async look(lease: Lease, signal: AbortSignal): Promise<void> {
    // First: a look that fails must not keep the sweep from its work.
    this.#lookedAt = this.#options.now()
    const found = await this.#options.reader.snapshot(this.#options.chainId, (queries) => queries.tokens())
    if (found === undefined) return
    const { block } = found.indexState
    await this.#options.chains.withView(this.#options.chainId, { block, signal }, async (view) => {
      const [tokens, { nextUncheckedDay }] = await Promise.all([
        view.read.tokens(found.rows),
        view.read.protocol(),
      ])
      await this.#options.store.logChanges(lease, block, { tokens, nextUncheckedDay, today: view.today })
    })
  }
}
