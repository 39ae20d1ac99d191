import type { Log } from '@remit/engine/ports/log'
import type { Audit } from '../audits/audits.ts'
import { errorText } from '../Outage.ts'
import type { Lease, ProjectionReader, ProjectionWriter } from '../projection.ts'
import type { ChainIndex } from '../status/ChainIndex.ts'

interface IndexAlarmOptions {
  readonly lease: Lease
  readonly audit: Audit
  /** The audit has a new result, which the next call of `setOfSource` writes. */
  readonly onAudited: () => void
  readonly projection: Pick<ProjectionWriter, 'setAlarm'> & Pick<ProjectionReader, 'indexState'>
  readonly index: ChainIndex
  readonly log: Log
}

/**
 * The alarm of one chain's index while this process holds its lease: what the source or the audit finds wrong. It is
 * written to the chain's row, where every process reads it, and logged once.
 */
export class IndexAlarm {
  readonly #options: IndexAlarmOptions
  readonly #chain: { readonly chainId: number }
  #auditing: Promise<void> | undefined
  #ofSource: string | null = null
  /** `undefined` until the first audit. Until then the alarm of an earlier holder stays. */
  #ofAudit: string | null | undefined
  /** The alarm that an earlier holder of the lease has left in the row. */
  #inherited: string | null = null
  /** The alarm in the row; `undefined` before the row was read. */
  #written: string | null | undefined

  constructor(options: IndexAlarmOptions) {
    this.#options = options
    this.#chain = { chainId: options.lease.chainId }
  }

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
    this.#auditing ??= this.#options
      .audit(signal)
      .then((found) => {
        if (found === undefined || found === this.#ofAudit) return
        this.#ofAudit = found
        this.#options.onAudited()
      })
      .catch((error: unknown) => {
        const cause = errorText(error)
        if (!signal.aborted)
          this.#options.log.warn('the index could not be audited', { ...this.#chain, cause })
      })
      .finally(() => {
        this.#auditing = undefined
      })
  }

  async #write(): Promise<void> {
    const indexState = () => this.#options.projection.indexState(this.#options.lease.chainId)
    if (this.#written === undefined) {
      this.#inherited = (await indexState())?.alarm ?? null
      this.#written = this.#inherited
    }
    const inherited = this.#ofAudit === undefined ? this.#inherited : null
    const alarm = this.#ofSource ?? this.#ofAudit ?? inherited
    if (alarm === this.#written) return
    await this.#options.projection.setAlarm(this.#options.lease, alarm)
    this.#written = alarm
    if (alarm === null) this.#options.log.info('the alarm of the index is over', this.#chain)
    else this.#options.log.error(alarm, this.#chain)
    const moved = await indexState()
    if (moved !== undefined) this.#options.index.moved(moved)
  }
}
