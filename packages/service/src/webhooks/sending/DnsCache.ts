import { Resolver } from 'node:dns/promises'
import { isIP } from 'node:net'
import { LRUCache } from 'lru-cache'
import { isLocalhost } from './webhookUrl.ts'

/** Finds all addresses of a name. Rejects where it has none, or where nobody can tell. */
export type Resolve = (name: string) => Promise<readonly string[]>

const RESOLVE_TIMEOUT_MS = 2_000
const RESOLVE_TRIES = 2
const MOST_NAMES = 10_000
/** An endpoint that moves is found within this time. */
const KEPT_MS = 10_000

/** Resolves names, and keeps what was found for some seconds. Running look-ups of one name are shared. */
export class DnsCache {
  readonly #resolve: Resolve
  readonly #kept = new LRUCache<string, Promise<readonly string[]>>({ max: MOST_NAMES, ttl: KEPT_MS })

  constructor(resolve: Resolve = resolveByDns()) {
    this.#resolve = resolve
  }

  /** An address is its own. */
  async addressesOf(host: string): Promise<readonly string[]> {
    if (isIP(host) !== 0) return [host]
    if (isLocalhost(host)) return ['127.0.0.1']
    const known = this.#kept.get(host)
    if (known !== undefined) return known
    const asked = this.#resolve(host)
    this.#kept.set(host, asked)
    asked.catch(() => {
      if (this.#kept.peek(host) === asked) this.#kept.delete(host)
    })
    return asked
  }
}

/** Not `dns.lookup`: it waits in a pool of four threads, where one slow name server would hold up all endpoints. */
function resolveByDns(): Resolve {
  const resolver = new Resolver({ timeout: RESOLVE_TIMEOUT_MS, tries: RESOLVE_TRIES })
  return async (name) => {
    const answers = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)])
    const found = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []))
    if (found.length > 0) return found
    throw answers.find((answer) => answer.status === 'rejected')?.reason
  }
}
