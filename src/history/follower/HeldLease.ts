import { type Lease, LeaseLostError, type ProjectionWriter } from '../projection.ts'

/** A lease that is renewed in the background for as long as it is held, however long a step takes. */
export class HeldLease {
  readonly lease: Lease
  readonly #writer: Pick<ProjectionWriter, 'renew' | 'release'>
  readonly #lost = new AbortController()
  readonly #timer: NodeJS.Timeout
  #renewing: Promise<void> | undefined

  constructor(options: {
    lease: Lease
    leaseMs: number
    writer: Pick<ProjectionWriter, 'renew' | 'release'>
  }) {
    const { lease, leaseMs, writer } = options
    this.lease = lease
    this.#writer = writer
    this.#timer = setInterval(() => {
      this.#renewing ??= this.#renew(leaseMs)
    }, leaseMs / 3)
  }

  /** Aborts with LeaseLostError once the lease is another's. */
  get lost(): AbortSignal {
    return this.#lost.signal
  }

  /** Renews it no more; the next one takes over when it has run out. */
  async drop(): Promise<void> {
    clearInterval(this.#timer)
    await this.#renewing
  }

  /** Lets the next one take over at once. */
  async release(): Promise<void> {
    await this.drop()
    // Unreleased, it runs out by itself.
    await this.#writer.release(this.lease).catch(() => {})
  }

  /** Never rejects: what else may fail here shows in the next step as well. */
  async #renew(leaseMs: number): Promise<void> {
    try {
      await this.#writer.renew(this.lease, leaseMs)
    } catch (error) {
      if (error instanceof LeaseLostError) this.#lost.abort(error)
    }
    this.#renewing = undefined
  }
}
