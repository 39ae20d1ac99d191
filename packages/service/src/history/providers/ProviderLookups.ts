import { BlockGoneError, type ChainsPort, type ChainView } from '@remit/engine/ports/chains'
import type { Log } from '@remit/engine/ports/log'
import type { DomainOutcome } from '@remit/engine/ports/providerChecks'
import { Notifier } from '@remit/engine/waiting/Notifier'
import { pause } from '@remit/engine/waiting/pause'
import { Outage } from '../Outage.ts'
import { DOMAIN_LASTS } from '../projection/providers.ts'
import {
  type DueProvider,
  type Lease,
  LeaseLostError,
  type ProjectionReader,
  type ProviderFinding,
  type ProviderStore,
} from '../projection.ts'
import { RequestBudget } from '../sweep/RequestBudget.ts'
import { combineOutcomes, domainName, proofName, readProof } from './domainProof.ts'
import { type AskTxt, NameUnresolvedError, type TxtAnswerOf } from './TxtResolver.ts'

// The domain in a provider's profile is proven if a TXT record of it holds a signature by the provider (`domainProof.ts`).

/** Providers that are looked up at the same time, so that domains whose servers are slow do not hold up the others. */
const PAGE = 8
/** How often due providers are looked for while no step brings a new profile. */
const IDLE_MS = 15_000
/** The wait after a failure of the store or a node, so that look-ups do not add to the load of these. */
const RETRY_MS = 5_000

const MINUTE = 60
const HOUR = 60 * MINUTE
/** Seconds after which a proof is looked up again: as long as its record may be cached (TTL), but within these. */
const PROOF_KEPT = { least: HOUR, most: 12 * HOUR }
/** Seconds until the next look-up where no proof was found: each wait is twice as long as the one before. */
const TRY_AGAIN = { first: 5 * MINUTE, most: 24 * HOUR }

/** How much the look-ups have to do, and how much they may. */
export interface LookupsHealth {
  /** How many providers are due; `null` until somebody has looked. */
  readonly due: number | null
  /** Providers that were looked up in the last hour, and how many may be in one. */
  readonly lookupsLastHour: number
  readonly lookupsPerHour: number
  /** For how long every look-up of this resolver has failed, in seconds; 0 if it works. */
  readonly resolverFailingSeconds: { readonly first: number; readonly second: number }
}

interface LookupsOptions {
  readonly chainId: number
  readonly chains: Pick<ChainsPort, 'withView'>
  readonly reader: Pick<ProjectionReader, 'snapshot'>
  readonly store: ProviderStore
  readonly isSynced: () => boolean
  readonly resolvers: { readonly first: AskTxt; readonly second: AskTxt } | undefined
  readonly perHour: number
  readonly log: Log
  readonly now?: () => number
}

/**
 * Looks up who providers are, in the background: whether two DNS resolvers agree that the domain of their profile is theirs, and which
 * name their address has on the chain. One process does so for a chain: the one that fills its index.
 */
export class ProviderLookups {
  readonly #options: LookupsOptions
  readonly #budget: RequestBudget
  readonly #outage: Outage
  readonly #resolving: { readonly first: Outage; readonly second: Outage }
  readonly #news = new Notifier()
  readonly #now: () => number
  #due: number | null = null

  /**
   * @param options.resolvers `undefined`: no domain is looked up
   * @param options.perHour providers that are looked up in an hour; 0 for none
   * @param options.isSynced whether the index is at the head. Nodes do not keep the state of much older blocks
   * @param options.now unix milliseconds of the wall clock
   */
  constructor(options: LookupsOptions) {
    const { chainId, log, perHour, now = Date.now } = options
    this.#options = options
    this.#now = now
    this.#budget = new RequestBudget(perHour)
    const outage = (what: string) => new Outage({ what, chainId, log })
    this.#outage = outage('looking up providers')
    this.#resolving = { first: outage('DNS_RESOLVER'), second: outage('SECOND_DNS_RESOLVER') }
  }

  health(): LookupsHealth {
    const { first, second } = this.#resolving
    const seconds = (outage: Outage) => Math.round(outage.lastedMs() / 1_000)
    return {
      due: this.#due,
      lookupsLastHour: this.#budget.spent(),
      lookupsPerHour: this.#budget.perHour,
      resolverFailingSeconds: { first: seconds(first), second: seconds(second) },
    }
  }

  /** A step was written: it may hold a profile. */
  stepWritten(): void {
    this.#news.notify()
  }

  /** Looks up until the signal aborts or the lease is lost. Never rejects. */
  async run(lease: Lease, signal: AbortSignal): Promise<void> {
    if (this.#budget.perHour === 0) return
    while (!signal.aborted) {
      try {
        const looked = this.#options.isSynced() ? await this.lookUp(lease, signal) : 0
        this.#outage.worked()
        if (looked === 0) await this.#news.wait(IDLE_MS, signal)
      } catch (error) {
        if (signal.aborted || error instanceof LeaseLostError) return
        if (!(error instanceof BlockGoneError)) this.#outage.failed(error)
        await pause(RETRY_MS, signal)
      }
    }
  }

  /**
   * Looks up some of those who are due, as the budget allows, and tells how many.
   *
   * Throws LeaseLostError, BlockGoneError and the errors of the store.
   */
  async lookUp(lease: Lease, signal: AbortSignal): Promise<number> {
    const { chains, reader, store, chainId } = this.#options
    const left = this.#budget.perHour - this.#budget.spent()
    const due = left > 0 ? await store.dueProviders(chainId, this.#seconds(), Math.min(PAGE, left)) : []
    // A page that is not full, and was not cut by the budget, holds all who are due. Otherwise they are counted.
    this.#due = due.length < PAGE && left > PAGE ? due.length : await store.countDue(chainId, this.#seconds())
    const found = due.length === 0 ? undefined : await reader.snapshot(chainId, async () => undefined)
    if (found === undefined) return 0
    const { block } = found.indexState
    this.#budget.spend(due.length)
    await chains.withView(chainId, { block, signal }, async (view) => {
      const lookups = due.map(async (provider) => {
        const finding = await this.#find(provider, view, signal)
        signal.throwIfAborted()
        await store.writeFinding(lease, block, finding)
      })
      // All look-ups end first: one that fails must not take the others’ findings along.
      const outcomes = await Promise.allSettled(lookups)
      for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason
    })
    return due.length
  }

  /** Looks one provider up, and decides when to do so again: with no domain or a proven one by PROOF_KEPT, otherwise by TRY_AGAIN. */
  async #find(due: DueProvider, view: ChainView, signal: AbortSignal): Promise<ProviderFinding> {
    const { provider, profile } = due
    const [looked, chainName] = await Promise.all([
      this.#lookUpDomain(due, view, signal),
      // Where nodes fail, `undefined` leaves the known name as it is.
      view.nameOf(provider).catch(rethrowIfBlockGone),
    ])
    const foundAt = this.#seconds()
    const base = { provider, profile, chainName, foundAt }
    if (looked === undefined)
      return { ...base, domain: undefined, tries: 0, dueAt: foundAt + PROOF_KEPT.least }
    const { name, outcome, ttlSeconds } = looked
    const domain = { name, outcome, checkedAt: foundAt }
    if (name === null) return { ...base, domain, tries: 0, dueAt: foundAt + PROOF_KEPT.most }
    if (outcome === 'SIGNED') return { ...base, domain, tries: 0, dueAt: foundAt + secondsKept(ttlSeconds) }
    const { signedAt } = due
    // A resolver that fails says nothing against an earlier proof, which stands until it is too old.
    const stands =
      outcome === 'RESOLVER_FAILED' && signedAt !== undefined && signedAt + DOMAIN_LASTS > foundAt
    return {
      ...base,
      domain: stands ? { name, outcome: 'SIGNED', checkedAt: signedAt } : domain,
      tries: due.tries + 1,
      dueAt: foundAt + secondsAfter(due.tries),
    }
  }

  /** What both resolvers together say of the domain; `undefined` where none is to be looked up. `name` is null for a text that is no domain. */
  async #lookUpDomain(
    { provider, profile }: DueProvider,
    view: ChainView,
    signal: AbortSignal,
  ): Promise<{ name: string | null; outcome: DomainOutcome; ttlSeconds?: number | undefined } | undefined> {
    const { resolvers } = this.#options
    if (resolvers === undefined || profile === undefined || profile.domain.trim() === '') return undefined
    const name = domainName(profile.domain)
    if (name === undefined) return { name: null, outcome: 'NOT_A_DOMAIN' }
    const [first, second] = await Promise.all([
      this.#ask('first', resolvers.first, name, signal),
      this.#ask('second', resolvers.second, name, signal),
    ])
    if (first === undefined || second === undefined) return { name, outcome: 'RESOLVER_FAILED' }
    try {
      const [one, other] = await Promise.all(
        [first, second].map(({ records }) =>
          readProof(records, { provider, domain: name }, (claim) => view.isSignedByContract(claim)),
        ),
      )
      const ttlSeconds = [first.ttlSeconds, second.ttlSeconds].reduce(shorter)
      return { name, outcome: combineOutcomes(one, other), ttlSeconds }
    } catch (error) {
      rethrowIfBlockGone(error)
      // Only the signature of a contract is checked by a node: no node has answered, and nothing is known.
      return { name, outcome: 'RESOLVER_FAILED' }
    }
  }

  /** Asks one resolver for the proof's records; `undefined` where it fails. Its outage is noted where the resolver is at fault. */
  async #ask(
    which: 'first' | 'second',
    ask: AskTxt,
    name: string,
    signal: AbortSignal,
  ): Promise<TxtAnswerOf | undefined> {
    try {
      const answer = await ask(proofName(name), signal)
      this.#resolving[which].worked()
      return answer
    } catch (error) {
      // Anybody can state a domain whose servers fail: that says nothing of the resolver.
      if (!signal.aborted && !(error instanceof NameUnresolvedError)) this.#resolving[which].failed(error)
      return undefined
    }
  }

  #seconds(): number {
    return Math.floor(this.#now() / 1_000)
  }
}

/** How long a proof counts whose record may be cached for so long. */
function secondsKept(ttlSeconds: number | undefined): number {
  const { least, most } = PROOF_KEPT
  return Math.min(Math.max(ttlSeconds ?? least, least), most)
}

/** The wait after a try that found no proof, by how many such tries came before it. */
function secondsAfter(tries: number): number {
  const { first, most } = TRY_AGAIN
  return Math.min(first * 2 ** Math.min(tries, 16), most)
}

function shorter(one: number | undefined, other: number | undefined): number | undefined {
  if (one === undefined || other === undefined) return one ?? other
  return Math.min(one, other)
}

/** Throws a BlockGoneError again: then all is read at another block. Any other failure gives `undefined`. */
function rethrowIfBlockGone(error: unknown): undefined {
  if (error instanceof BlockGoneError) throw error
  return undefined
}
