import { type Bucket, COSTS, type Cost } from '@remit/engine/declare/lanes'
import { toRemitError } from '@remit/engine/errors/toWire'
import { type Quota, RateLimitedError } from '../errors/access.ts'
import { type ChargingPort, type Identity, type TakenUnits, unmetered } from '../ports/access.ts'

/** Who is charged for a request, and the limits that it has taken from so far. */
export interface ChargedCaller {
  readonly identity: Identity
  /** Aborted where the caller disconnects. */
  readonly signal: AbortSignal | undefined
  /** The caller's connection, where no signal tells of it. */
  readonly connection?: { readonly destroyed: boolean }
  readonly requestQuotas: RequestQuotas
}

/**
 * The state of the limits that one HTTP request has taken from, or was refused by.
 *
 * It belongs to the request, because errors report it too. A batch takes more than once: the last state of each limit
 * counts.
 */
export class RequestQuotas {
  readonly #quotas = new Map<string, Quota>()

  note(quotas: readonly Quota[]): void {
    for (const quota of quotas) this.#quotas.set(quota.name, quota)
  }

  /** One for each limit. */
  get quotas(): Quota[] {
    return [...this.#quotas.values()]
  }
}

/**
 * Takes units of the caller's limits for requests, and gives them back. `COSTS` and `BUCKETS` in `lanes.ts` say which limits a cost
 * and a bucket take from; which buckets a request takes from is in its operation's `access`.
 */
export function createCharging(port: ChargingPort) {
  /** Throws RateLimitedError where the request needs the minute's total, and it is known to be spent. Takes nothing. */
  function admit(caller: ChargedCaller, cost: Cost): void {
    if (!COSTS[cost].includes('globalRpm')) return
    try {
      portOf(caller).admit(caller.identity)
    } catch (thrown) {
      noteLimits(caller, thrown)
      throw thrown
    }
  }

  /** Takes the units of a request. Throws RateLimitedError, with nothing taken. */
  async function take(
    caller: ChargedCaller,
    cost: Cost,
    buckets: readonly Bucket[] = [],
  ): Promise<TakenUnits> {
    try {
      const taken = await portOf(caller).take(caller.identity, cost, buckets)
      caller.requestQuotas.note(taken.quotas)
      return taken
    } catch (thrown) {
      noteLimits(caller, thrown)
      throw thrown
    }
  }

  /**
   * Takes the units of a request, then does its work. A failure of ours, or of an upstream, gives the units of its
   * buckets back. A caller that disconnects pays.
   */
  async function charge<T>(
    caller: ChargedCaller,
    cost: Cost,
    buckets: readonly Bucket[],
    work: () => Promise<T>,
  ): Promise<T> {
    const taken = await take(caller, cost, buckets)
    try {
      return await work()
    } catch (thrown) {
      const isOurs = toRemitError(thrown).status >= 500 && !hasLeft(caller)
      if (isOurs && buckets.length > 0) await taken.giveBack()
      throw thrown
    }
  }

  function portOf({ identity }: ChargedCaller): ChargingPort {
    return identity.operator ? unmetered : port
  }

  return { admit, take, charge }
}

function hasLeft({ signal, connection }: ChargedCaller): boolean {
  return signal?.aborted === true || connection?.destroyed === true
}

/** Notes the state of the limits in a refusal, which the response tells in its headers. */
function noteLimits({ requestQuotas }: ChargedCaller, thrown: unknown): void {
  if (thrown instanceof RateLimitedError) requestQuotas.note(thrown.quotas)
}
