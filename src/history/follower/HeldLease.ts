import type { BlockRef } from '../../core/ports/history.ts'
import { StoreError } from '../../store/StoreError.ts'
import {
  type ChainIdentity,
  type IndexSource,
  type Lease,
  LeaseLostError,
  type ProjectionWriter,
} from '../projection.ts'

/** Short, so that a rebuild can be repeated soon after its process has died. It is renewed meanwhile. */
const REPLACING_LEASE_MS = 10_000

/** A lease that is renewed in the background, however long a step takes. */
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
    await this.#writer.release(this.lease).catch(() => {})
  }

  /** Never rejects. Other failures show in the next step too. */
  async #renew(leaseMs: number): Promise<void> {
    try {
      await this.#writer.renew(this.lease, leaseMs)
    } catch (error) {
      if (error instanceof LeaseLostError) this.#lost.abort(error)
    }
    this.#renewing = undefined
  }
}

/**
 * Takes the lease of an index whose rows are to be replaced.
 *
 * Throws StoreError while another process fills the index.
 */
export async function holdToReplace(options: {
  projection: ProjectionWriter
  identity: ChainIdentity
  source: IndexSource
  origin: BlockRef
  holder: string
}): Promise<HeldLease> {
  const { projection, identity, source, origin, holder } = options
  const leaseMs = REPLACING_LEASE_MS
  const lease = await projection.take(identity, source, async () => origin, holder, leaseMs)
  if (lease === undefined) {
    throw new StoreError(`Another process fills the index of chain ${identity.chainId}: stop it first.`)
  }
  return new HeldLease({ lease, leaseMs, writer: projection })
}
