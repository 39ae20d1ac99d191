import { type Bucket, COSTS, type Cost } from '@remit/engine/declare/lanes'
import { toRemitError } from '@remit/engine/errors/toWire'
import { type Quota, RateLimitedError } from '../errors/access.ts'
import { type ChargingPort, type Identity, type TakenUnits, unmetered } from '../ports/access.ts'

/** Who pays for a request, and what it has taken so far. */
export interface Payer {
  readonly identity: Identity
  /** Aborted where the caller disconnects. */
  readonly signal: AbortSignal | undefined
  /** The caller's connection, where no signal tells of it. */
  readonly connection?: { readonly destroyed: boolean }
  readonly spending: Spending
}

/**
 * The state of the limits that one HTTP request has taken from, or was refused by.
 *
 * It belongs to the request, because errors report it too. A batch takes more than once: the last state of each limit
 * counts.
 */
export class Spending {
  readonly #quotas = new Map<string, Quota>()

  note(quotas: readonly Quota[]): void {
    for (const quota of quotas) this.#quotas.set(quota.name, quota)
  }

  /** One for each limit. */
  get quotas(): Quota[] {
    return [...this.#quotas.values()]
  }
}

/** Takes units for requests and gives them back. How many units a request costs is in `lanes.ts`. */
export function createCharging(port: ChargingPort) {
  /** Throws RateLimitedError where the request needs the minute's total, and it is known to be spent. Takes nothing. */
  function admit(payer: Payer, cost: Cost): void {
    if (!COSTS[cost].includes('globalRpm')) return
    try {
      portOf(payer).admit(payer.identity)
    } catch (thrown) {
      throw noted(payer, thrown)
    }
  }

  /** Takes the units of a request. Throws RateLimitedError, with nothing taken. */
  async function take(payer: Payer, cost: Cost, buckets: readonly Bucket[] = []): Promise<TakenUnits> {
    try {
      const taken = await portOf(payer).take(payer.identity, cost, buckets)
      payer.spending.note(taken.quotas)
      return taken
    } catch (thrown) {
      throw noted(payer, thrown)
    }
  }

  /**
   * Takes the units of a request, then does its work. A failure of ours, or of an upstream, gives the units of its
   * buckets back. A caller that disconnects pays.
   */
  async function charge<T>(
    payer: Payer,
    cost: Cost,
    buckets: readonly Bucket[],
    work: () => Promise<T>,
  ): Promise<T> {
    const taken = await take(payer, cost, buckets)
    try {
      return await work()
    } catch (thrown) {
      const isOurs = toRemitError(thrown).status >= 500 && !hasLeft(payer)
      if (isOurs && buckets.length > 0) await taken.giveBack()
      throw thrown
    }
  }

  function portOf({ identity }: Payer): ChargingPort {
    return identity.operator ? unmetered : port
  }

  return { admit, take, charge }
}

function hasLeft({ signal, connection }: Payer): boolean {
  return signal?.aborted === true || connection?.destroyed === true
}

/** What was thrown, once the state of the limits that refused is noted. */
function noted({ spending }: Payer, thrown: unknown): unknown {
  if (thrown instanceof RateLimitedError) spending.note(thrown.quotas)
  return thrown
}
