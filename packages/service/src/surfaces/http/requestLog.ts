import { createHmac, randomBytes } from 'node:crypto'
import type { Log } from '@remit/engine/ports/log'
import { LRUCache } from 'lru-cache'
import type { Identity } from '../../ports/access.ts'
import type { RequestObserver } from '../../ports/telemetry.ts'

/** How many callers' hashes are remembered: to make them anew for each request takes time. */
const MOST_REMEMBERED = 10_000
const HASH_CHARACTERS = 16

/**
 * Writes one log line for each request, as an observer of `createApp`. Nothing that the caller wrote is in it, except the ids
 * of a trace.
 * @param options.key the key for the hash of identities: without it nobody can find an address by hashing all addresses.
 * Default: random, so callers have the same hash only within one process
 */
export function createRequestLog(log: Log, options: { key?: string | undefined } = {}): RequestObserver {
  const key = options.key ?? randomBytes(32)
  // `max` would reserve room for all entries at once. With `maxSize` and a size of 1 each, the cache grows as callers come.
  const known = new LRUCache<string, string>({ maxSize: MOST_REMEMBERED, sizeCalculation: () => 1 })

  function hash({ lane, id }: Identity): string {
    const name = `${lane}:${id}`
    const before = known.get(name)
    if (before !== undefined) return before
    const hashed = createHmac('sha256', key).update(name).digest('hex').slice(0, HASH_CHARACTERS)
    known.set(name, hashed)
    return hashed
  }

  return {
    requestEnded(request) {
      const { identity } = request
      const facts = {
        requestId: request.requestId,
        traceId: request.traceId,
        parentId: request.parentId,
        surface: request.surface,
        lane: request.lane,
        caller: identity === undefined ? undefined : hash(identity),
        operation: request.operation,
        method: request.method,
        route: request.route,
        status: request.status,
        code: request.code,
        durationMs: Math.round(request.durationMs * 10) / 10,
        upstreamRequests: request.upstreamRequests,
        // The limits that the request took units from, whether these were given back (after a failure of the service), and whether the
        // caller disconnected before the answer. `undefined` leaves a field out, as in most lines.
        charged: request.charged,
        givenBack: request.givenBack || undefined,
        abandoned: request.abandoned || undefined,
      }
      if (request.status >= 500) log.warn('request', facts)
      else log.info('request', facts)
    },
  }
}
