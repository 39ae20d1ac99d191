import type { Log } from '../../core/ports/log.ts'
import type { Audit } from '../audits/audits.ts'
import { causeOf } from '../Outage.ts'
import type { Lease, ProjectionReader, ProjectionWriter } from '../projection.ts'
import type { ChainIndex } from '../status/ChainIndex.ts'

/**
 * The alarm of one chain's index while this process holds its lease: what the source or the audit finds wrong. It is
 * written to the chain's row, where every process reads it, and logged once.
 */
export class IndexAlarm {
  readonly #lease: Lease
  readonly #audit: Audit
  readonly #onAudited: () => void
  readonly #projection: Pick<ProjectionWriter, 'setAlarm'> & Pick<ProjectionReader, 'indexState'>
  readonly #index: ChainIndex
  readonly #log: Log
  readonly #chain: { readonly chainId: number }
  #auditing: Promise<void> | undefined
  #ofSource: string | null = null
  /** `undefined` until the first audit. Until then the alarm of an earlier holder stays. */
  #ofAudit: string | null | undefined
  #inherited: string | null = null
  /** The alarm in the row; `undefined` before the row was read. */
  #written: string | null | undefined

  constructor(options: {
    lease: Lease
    audit: Audit
    /** The audit has a new result, which the next call of `setOfSource` writes. */
    onAudited: () => void
    projection: Pick<ProjectionWriter, 'setAlarm'> & Pick<ProjectionReader, 'indexState'>
    index: ChainIndex
    log: Log
  }) {
    this.#lease = options.lease
    this.#audit = options.audit
    this.#onAudited = options.onAudited
    this.#projection = options.projection
    this.#index = options.index
    this.#log = options.log
    this.#chain = { chainId: options.lease.chainId }
  }

  /** The alarm in the row. */
  get alarm(): string | null {
    return this.#written ?? null
  }

  /** Sets the source's alarm, and writes the alarm if it has changed. Throws LeaseLostError. */
  async setOfSource(alarm: string | null): Promise<void> {
    this.#ofSource = alarm
    await this.#write()
  }

  /** Starts an audit if none is running. The audit itself decides whether one is due. */
  startAudit(signal: AbortSignal): void {
    this.#auditing ??= this.#audit(signal)
      .then((found) => {
        if (found === undefined || found === this.#ofAudit) return
        this.#ofAudit = found
        this.#onAudited()
      })
      .catch((error: unknown) => {
        const cause = causeOf(error)
        if (!signal.aborted) this.#log.warn('the index could not be audited', { ...this.#chain, cause })
      })
      .finally(() => {
        this.#auditing = undefined
      })
  }

  async #write(): Promise<void> {
    const indexState = () => this.#projection.indexState(this.#lease.chainId)
    if (this.#written === undefined) {
      this.#inherited = (await indexState())?.alarm ?? null
      this.#written = this.#inherited
    }
    const inherited = this.#ofAudit === undefined ? this.#inherited : null
    const alarm = this.#ofSource ?? this.#ofAudit ?? inherited
    if (alarm === this.#written) return
    await this.#projection.setAlarm(this.#lease, alarm)
    this.#written = alarm
    if (alarm === null) this.#log.info('the alarm of the index is over', this.#chain)
    else this.#log.error(alarm, this.#chain)
    const moved = await indexState()
    if (moved !== undefined) this.#index.moved(moved)
  }
}
