import { PermitUnsupportedError, PermitVoidError } from '@remit/engine/errors/permit'
import { judgePermit, readHanded } from '@remit/engine/operations/prepare/permit/handedPermit'
import type { ChainsPort, ChainView } from '@remit/engine/ports/chains'
import type { Log } from '@remit/engine/ports/log'
import { Notifier } from '@remit/engine/waiting/Notifier'
import { pause } from '@remit/engine/waiting/pause'
import { type Selectable, sql } from 'kysely'
import { Outage } from '../history/Outage.ts'
import type { Lease } from '../history/projection.ts'
import type { Store } from '../store/openStore.ts'
import { SealedError, type SecretBox } from '../store/SecretBox.ts'
import type { RescuesTable } from '../store/tables.ts'
import { openRescue } from './Rescues.ts'

/** Permits that are looked at in one turn. Each takes two or three requests to a node. */
const PAGE = 10
/** At least so long lies between two turns. */
const TURN_MS = 15_000
/** How often a permit is tried without a log that concerns it: its token or its owner's contract may have changed. */
const AGAIN_MS = 60 * 60_000
/** The wait after a failure of the store or a node. A shorter one would add to their load. */
const RETRY_MS = 5_000

interface RescueSweepOptions {
  readonly chainId: number
  readonly chains: Pick<ChainsPort, 'withView'>
  readonly store: Store
  readonly box: SecretBox
  readonly log: Log
  /** Unix milliseconds. */
  readonly now?: () => number
}

/**
 * Deletes kept permits (ERC-20 permits that members have signed for their providers to send) which nobody can use any more: expired,
 * used, or void. One process does so: the one that fills the index, whose approvals say which permits to look at first.
 */
export class RescueSweep {
  readonly #options: RescueSweepOptions
  readonly #outage: Outage
  readonly #news = new Notifier()
  readonly #now: () => number

  constructor(options: RescueSweepOptions) {
    const { chainId, log, now = Date.now } = options
    this.#options = options
    this.#now = now
    this.#outage = new Outage({ what: 'looking through the permits that are kept', chainId, log })
  }

  /** The index has taken a step, which is some more blocks: somebody may have carried a permit in them. */
  stepWritten(): void {
    this.#news.notify()
  }

  /** Sweeps until the signal aborts. Never rejects. */
  async run(_: Lease, signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      try {
        await this.sweep(signal)
        this.#outage.worked()
        await pause(TURN_MS, signal)
        await this.#news.wait(TURN_MS, signal)
      } catch (error) {
        if (signal.aborted) return
        this.#outage.failed(error)
        await pause(RETRY_MS, signal)
      }
    }
  }

  /** Throws the errors of the node and the store. */
  async sweep(signal: AbortSignal): Promise<void> {
    const { chainId, chains } = this.#options
    const rows = await this.#due()
    // A view asks the node for its head, so it is made only if there is something to look at.
    if (rows.length === 0) return
    await chains.withView(chainId, { signal }, async (chain) => {
      for (const row of rows) {
        const isVoid = row.deadline < chain.now || (await this.#isVoid(chain, row))
        signal.throwIfAborted()
        await (isVoid ? this.#delete(row) : this.#noteChecked(row, chain.asOf.blockNumber))
      }
    })
  }

  /** Those whose owners have approved something since they were looked at; else those that were looked at long ago. */
  async #due(): Promise<readonly Selectable<RescuesTable>[]> {
    const { chainId, store } = this.#options
    const isApproved = sql<boolean>`exists (select 1 from approvals
      where approvals.chain_id = rescues.chain_id and approvals.owner = rescues.owner
        and approvals.token = rescues.token and approvals.block_number > rescues.checked_block)`
    const due = store.db.selectFrom('rescues').selectAll().where('chain_id', '=', chainId)
    const approved = await due.where(isApproved).orderBy('checked_at').limit(PAGE).execute()
    if (approved.length > 0) return approved
    return due
      .where('checked_at', '<=', this.#now() - AGAIN_MS)
      .orderBy('checked_at')
      .limit(PAGE)
      .execute()
  }

  /** Whether the token would refuse the permit, now and later. */
  async #isVoid(chain: ChainView, row: Selectable<RescuesTable>): Promise<boolean> {
    try {
      const { signature, owner, value, isAllowed, deadline, token } = openRescue(row, this.#options.box)
      const permit = { owner, token, ...(isAllowed ? { allowed: true } : { value }), deadline, signature }
      const handed = await readHanded(chain, permit)
      if (handed.support.token?.nonce !== BigInt(row.nonce)) return true
      // Its nonce is not used, so the permit still counts, even if the allowance is what it would set: 0 skips that question.
      await judgePermit(chain, permit, { ...handed, current: 0n })
      return false
    } catch (error) {
      const isOver = [PermitVoidError, PermitUnsupportedError, SealedError].some(
        (known) => error instanceof known,
      )
      if (isOver) return true
      throw error
    }
  }

  async #delete({ id }: Selectable<RescuesTable>): Promise<void> {
    await this.#options.store.transaction((db) => db.deleteFrom('rescues').where('id', '=', id).execute())
  }

  async #noteChecked({ id }: Selectable<RescuesTable>, block: number): Promise<void> {
    await this.#options.store.transaction((db) =>
      db
        .updateTable('rescues')
        .set({ checked_at: this.#now(), checked_block: block })
        .where('id', '=', id)
        .execute(),
    )
  }
}
