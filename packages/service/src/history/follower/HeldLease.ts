import { type Lease, LeaseLostError, type ProjectionWriter } from '../projection.ts'

interface HeldLeaseOptions {
  readonly lease: Lease
  readonly leaseMs: number
  readonly writer: Pick<ProjectionWriter, 'renew' | 'release'>
}

/** A lease that is renewed in the background, however long a step takes. */
export class HeldLease {
  readonly #options: HeldLeaseOptions
  readonly #lost = new AbortController()
  readonly #timer: NodeJS.Timeout
  #renewing: Promise<void> | undefined

  constructor(options: HeldLeaseOptions) {
    this.#options = options
    const { leaseMs } = options
    this.#timer = setInterval(() => {
      this.#renewing ??= this.#renew(leaseMs)
    }, leaseMs / 3)
  }

  /** Aborts with LeaseLostError when another process has taken the lease. */
  get lost(): AbortSignal {
    return this.#lost.signal
  }

  /** Stops renewing. The next process takes over when the lease has run out. */
  async drop(): Promise<void> {
    clearInterval(this.#timer)
    await this.#renewing
  }

  /** Lets the next process take over at once. */
  async release(): Promise<void> {
    await this.drop()
    // If this fails, the lease runs out by itself.
    await this.#options.writer.release(this.#options.lease).catch(() => {})
  }

  /** Never rejects. Other failures show in the next step too. */
  async #renew(leaseMs: number): Promise<void> {
    try {
      await this.#options.writer.renew(this.#options.lease, leaseMs)
    } catch (error) {
      if (error instanceof LeaseLostError) this.#lost.abort(error)
    }
    this.#renewing = undefined
  }
}
