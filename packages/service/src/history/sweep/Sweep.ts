import { ViewFailedError } from '@remit/engine/errors/chain'
import { groupBy } from '@remit/engine/indexing/groupBy'
import { BlockGoneError, type ChainsPort, type ChainView } from '@remit/engine/ports/chains'
import type { BlockRef } from '@remit/engine/ports/history'
import type { Log } from '@remit/engine/ports/log'
import type { ChargedMembership } from '@remit/engine/ports/verdicts'
import { type JudgedMembership, readVerdicts } from '@remit/engine/verdicts/readVerdicts'
import { type SeenCharges, seeCharges } from '@remit/engine/verdicts/seenCharges'
import { Notifier } from '@remit/engine/waiting/Notifier'
import { pause } from '@remit/engine/waiting/pause'
import { Outage } from '../Outage.ts'
import { type Lease, LeaseLostError, type ProjectionReader, type VerdictStore } from '../projection.ts'
import { checkTokens } from './checkTokens.ts'
import { RequestBudget } from './RequestBudget.ts'
import { sweepAgainAt } from './sweepAgainAt.ts'
import { type UnloggedStateWatch, WATCH_REQUESTS } from './UnloggedStateWatch.ts'

// A verdict says of one membership whether its coming charges will be paid. It is due when its `sweep_at` has come: `sweepAgainAt.ts`
// decides that after each reading, and an event of the payer makes it due at once (`../projection/verdicts/updateVerdicts.ts`). A page is
// what is read and written together.

/** Memberships of one page. Reading them takes one call of the node for their state, and one that tries their charges. */
const PAGE_ROWS = 400
/** Payers that a page begins with. Each may have several memberships, so that not all of them fit. */
const PAGE_PAYERS = 300
/** A payer with more memberships in one token gets no verdict: all of them must be read together, which would have no bound. */
const MOST_OF_PAYER = 2_000
/** The most requests to nodes that one page can take. A page begins only when the budget has as many left. */
export const MOST_REQUESTS = 30

/** The requests that count as spent where reading failed, since it is not known how many were made. */
const FAILED_REQUESTS = 3

/** How often it looks for what has become due, if no step says so. */
const IDLE_MS = 15_000
/** The wait after a failure of the store or a node. A shorter one would add to their load. */
const RETRY_MS = 5_000

/** How much a sweep has to do, and how much it may ask for. */
export interface SweepHealth {
  /** Verdicts that are due; `null` until it has looked. */
  readonly due: number | null
  /** Requests to nodes that it made in the last hour, and how many it may make in one. */
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
 * Reads verdicts again, in the background: for each membership, whether its coming charges will be paid, by the payer's allowance
 * and balance at the index's block. Those that are due are read page by page, within a budget of requests. It runs in the process
 * that fills the index (`Follower` calls `run` and `stepWritten`).
 * A page is one transaction, so a process that is killed between two of them loses nothing.
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
   * @param options.watch looks at what no log tells, between pages, out of the same budget
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
        if (mayAsk) await this.#watchIfDue(lease, signal)
        const mayBeMore = mayAsk && (await this.sweepPage(lease, signal))
        this.#outage.worked()
        // Waits until the budget has room for a page, but no longer than IDLE_MS. `undefined`: it never has, because it is too small.
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

  /** Looks at state that no log tells, if it is time to. */
  async #watchIfDue(lease: Lease, signal: AbortSignal): Promise<void> {
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
    // In order: what to read, which charges remit makes on the days to come, the verdicts, and how they are written.
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

  /** Asks, and takes the requests that this took from the budget, also where it failed. */
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

  /** Reads the verdicts of a page. If that fails, each token is read apart: only members of a token that fails go without a verdict. */
  async #readPage(
    view: ChainView,
    page: readonly ChargedMembership[],
    seen: SeenCharges,
  ): Promise<readonly JudgedMembership[]> {
    try {
      return await this.#readVerdicts(view, page, seen)
    } catch (error) {
      if (!(error instanceof ViewFailedError)) throw error
    }
    const judged: JudgedMembership[] = []
    for (const ofToken of groupBy(page, ({ terms }) => terms.token).values()) {
      try {
        judged.push(...(await this.#readVerdicts(view, ofToken, seen)))
      } catch (error) {
        if (!(error instanceof ViewFailedError)) throw error
        judged.push(...ofToken.map((membership) => ({ ...membership, verdict: undefined, transfers: [] })))
      }
    }
    return judged
  }

  async #readVerdicts(view: ChainView, memberships: readonly ChargedMembership[], seen: SeenCharges) {
    return (await this.#spending(() => readVerdicts(view, memberships, seen))).judged
  }
}

/**
 * The memberships to read now (`page`): all of a payer's in one token or none, because they share allowance and balance, until the page
 * is full. The others stay due. The first payer always fits. Apart, those of payers with more than MOST_OF_PAYER (`tooMany`).
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
