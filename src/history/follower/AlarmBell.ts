import type { Log } from '../../core/log.ts'
import type { Audit } from '../audits/createAudit.ts'
import { causeOf } from '../causeOf.ts'
import type { Lease, ProjectionReader, ProjectionWriter } from '../projection.ts'
import type { ChainIndex } from '../status/ChainIndex.ts'

/**
 * The alarm of one chain's index, for as long as this process holds its lease: what the source or the audit
 * says is wrong, kept in the indexState row for every process and told to the log once.
 */
export class AlarmBell {
  readonly #lease: Lease
  readonly #audit: Audit
  readonly #onFound: () => void
  readonly #projection: Pick<ProjectionWriter, 'setAlarm'> & Pick<ProjectionReader, 'indexState'>
  readonly #index: ChainIndex
  readonly #log: Log
  readonly #chain: { readonly chainId: number }
  #auditing: Promise<void> | undefined
  #ofSource: string | null = null
  /** `undefined` until the first audit: what an earlier holder found wrong is wrong until then. */
  #ofAudit: string | null | undefined
  #inherited: string | null = null
  /** As the row has it; `undefined` before it was read. */
  #written: string | null | undefined

  constructor(options: {
    lease: Lease
    audit: Audit
    /** The source should be heard: there is something to write. */
    onFound: () => void
    projection: Pick<ProjectionWriter, 'setAlarm'> & Pick<ProjectionReader, 'indexState'>
    index: ChainIndex
    log: Log
  }) {
    this.#lease = options.lease
    this.#audit = options.audit
    this.#onFound = options.onFound
    this.#projection = options.projection
    this.#index = options.index
    this.#log = options.log
    this.#chain = { chainId: options.lease.chainId }
  }

  /** As the row has it. */
  get alarm(): string | null {
    return this.#written ?? null
  }

  /**
   * Takes down what the source says, and writes what is wrong now where that is another thing than before.
   * Throws LeaseLostError.
   */
  async heard(alarm: string | null): Promise<void> {
    this.#ofSource = alarm
    await this.#write()
  }

  /** Begins an audit, if one is due. What it finds is written when the source is heard next, which it asks for. */
  audit(signal: AbortSignal): void {
    this.#auditing ??= this.#audit(signal)
      .then((found) => {
        if (found === undefined || found === this.#ofAudit) return
        this.#ofAudit = found
        this.#onFound()
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
