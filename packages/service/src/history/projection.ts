import type { EventPage, EventQuery, Finality, LogState } from '@remit/engine/ports/events'
import type { BlockRef, HistoryQueries } from '@remit/engine/ports/history'
import type { DomainOutcome } from '@remit/engine/ports/providerChecks'
import type { IndexTip, Step, StepFacts, TimedApproval } from '@remit/engine/ports/source'
import type { Verdict } from '@remit/engine/ports/verdicts'
import type { Address, Hex } from 'viem'

// What the parts of the index need of the store, so that none of them writes SQL but those in projection/. In order: the index
// itself and the lease that lets one process write it; its readers; then a port for each task that runs beside the steps: the
// sweep of verdicts, the approvals of the past, state that no log shows, look-ups of providers.
// The tip is the last block that is indexed. A step moves it: it writes some new blocks with their events, in one transaction, and
// takes back first what a reorganisation has replaced.

/** What a chain's rows come from. */
export type IndexSource = 'rpc' | 'subgraph'

/** The right to write a chain's index, until another process takes it. */
export interface Lease {
  readonly chainId: number
  /** The name of the process that holds it. */
  readonly holder: string
  /** Rises whenever the lease is taken: with an older one nothing can be written any more. */
  readonly epoch: number
}

/** What identifies a chain: rows of one with another identity must never be mixed in. */
export interface ChainIdentity {
  readonly chainId: number
  readonly genesisHash: Hex
  readonly contract: Hex
  readonly firstBlock: number
}

/** A chain's row: how far its index is, and what is wrong with it. */
export interface IndexState {
  readonly block: BlockRef
  readonly finalizedBlock: number
  /** What is wrong with the index, as a sentence. */
  readonly alarm: string | null
  /** An `IndexSource`. */
  readonly source: string
  /** The approvals of blocks after this one are not all known yet (`ApprovalGap`); `null` where all are. */
  readonly approvalsReadTo: number | null
  /** A counter that each look-up of a provider's domain and name raises. */
  readonly providersChecked: number
}

/** Another process has taken the lease or moved the tip. Nothing was written. */
export class LeaseLostError extends Error {
  override readonly name = 'LeaseLostError'
}

/**
 * Writes the indexes in one store. Every change is one transaction, which fails if the lease was taken by another
 * process or the tip has moved.
 */
export interface ProjectionWriter {
  /**
   * Takes the lease of a chain for `leaseMs` of the store's clock; `undefined` while another process holds it. The first
   * lease inserts the chain's row, with `origin` as the tip. The holder may take its own lease again.
   *
   * Throws StoreError if the store holds another chain, contract or first block under this chain id.
   */
  take(
    identity: ChainIdentity,
    source: IndexSource,
    origin: () => Promise<BlockRef>,
    holder: string,
    leaseMs: number,
  ): Promise<Lease | undefined>
  /** Has the lease end `leaseMs` from now, by the store's clock. Throws LeaseLostError. */
  renew(lease: Lease, leaseMs: number): Promise<void>
  /** Lets the next process take the lease at once. Does nothing if the lease was lost. */
  release(lease: Lease): Promise<void>
  tip(chainId: number): Promise<IndexTip>
  /**
   * Writes one step, completely or not at all, and renews the lease with it. Throws LeaseLostError.
   * @param from the tip's block that the step was made from
   */
  apply(lease: Lease, from: BlockRef, step: Step, facts: StepFacts, leaseMs: number): Promise<void>
  /** Deletes all rows of the chain and its alarm, and makes `origin` the tip. Throws LeaseLostError. */
  empty(lease: Lease, origin: BlockRef, source: IndexSource): Promise<void>
  /** Writes what is wrong with the index into the chain's row; `null` where nothing is any more. Throws LeaseLostError. */
  setAlarm(lease: Lease, alarm: string | null): Promise<void>
}

/** Reads the indexes in one store. */
export interface ProjectionReader {
  /**
   * Throws StoreError if the store holds another chain, contract or first block under this chain id. Absent fields are
   * not compared. A store without the chain's row passes.
   */
  verify(identity: Partial<ChainIdentity> & Pick<ChainIdentity, 'chainId'>): Promise<void>
  /** `undefined` before the first lease. */
  indexState(chainId: number): Promise<IndexState | undefined>
  /** All that `use` reads and the index's state are of one moment. */
  snapshot<Rows>(
    chainId: number,
    use: (queries: HistoryQueries, indexState: IndexState) => Promise<Rows>,
  ): Promise<{ rows: Rows; indexState: IndexState } | undefined>
}

/** Reads the logs of events in one store. */
export interface LogReader {
  /** `undefined` before the first lease. */
  logState(chainId: number): Promise<LogState | undefined>
  /** The sequence of the last event before the first one that lacks this finality; 0 where there is none. `undefined` as above. */
  logEnd(chainId: number, finality: Finality): Promise<number | undefined>
  /** One page, of one moment. `undefined` as above. */
  readLog(chainId: number, query: EventQuery): Promise<EventPage | undefined>
}

/** The verdict on one membership, which says whether its coming charges will be paid, as it was read at a block. */
export interface ReadVerdict {
  readonly subscriptionId: Hex
  readonly subscriber: Address
  /** `undefined` if it could not be read. What was known before is kept then. */
  readonly verdict: Verdict | undefined
  /** Unix seconds of the chain's clock: when to read it again. */
  readonly sweepAt: number
}

/** What a trial transfer showed of a token. */
export interface TokenCheck {
  readonly token: Address
  /** Whether its logs stated something else than its balances showed. */
  readonly differs: boolean
}

/** The port of the sweep (`sweep/Sweep.ts`), which reads verdicts again once they are due. */
export interface VerdictStore {
  /** Payers, with the token they pay in, of memberships whose verdicts are due at `now` (unix seconds), longest due first. Looks at `first` memberships at most. */
  duePayers(
    chainId: number,
    now: number,
    first: number,
  ): Promise<readonly { readonly subscriber: Address; readonly token: Address }[]>
  /** How many verdicts are due at `now`. */
  countDue(chainId: number, now: number): Promise<number>
  /**
   * Writes what was read at one block, completely or not at all. Memberships that have ended meanwhile are left out, and those about
   * whose payers something was logged after the block.
   * Throws LeaseLostError.
   * @param now unix seconds of the chain's clock, by which it is told which charges are soon at risk; default the block's time
   * @returns false if the block is not on the indexed chain any more. Nothing was written then
   */
  writeVerdicts(
    lease: Lease,
    block: BlockRef,
    verdicts: readonly ReadVerdict[],
    now?: number,
  ): Promise<boolean>
  /** The tokens among these that were last checked before `since` (unix seconds of the chain's clock) and never seen to differ. */
  tokensToCheck(chainId: number, tokens: readonly Address[], since: number): Promise<readonly Address[]>
  /** Writes nothing if the block is not on the indexed chain any more. Throws LeaseLostError. */
  writeTokenChecks(lease: Lease, block: BlockRef, checks: readonly TokenCheck[]): Promise<void>
}

/**
 * Past blocks whose approvals of some tokens are not known: an older release filled the index, the first subscription in a token came
 * after them, or a subgraph, which tells no approvals, filled them.
 */
export interface ApprovalGap {
  /** Those of which this same range is missing. */
  readonly tokens: readonly Address[]
  /** The gap begins after this block. */
  readonly readTo: number
}

/** The port of `follower/PastApprovals.ts`, which reads the approvals that no step has read. */
export interface ApprovalStore {
  /** The first gap, or `undefined` where all is known. Throws LeaseLostError. */
  findGap(lease: Lease): Promise<ApprovalGap | undefined>
  /**
   * Writes the approvals of a range that begins with a gap, completely or not at all, moves the gap's beginning, and makes the
   * verdicts due that were read before them. Throws LeaseLostError.
   * @param to the last block of the range, which may be beyond the gap's end
   * @returns false if that block is not on the indexed chain, or beyond its tip. Nothing was written then
   */
  closeGap(
    lease: Lease,
    gap: ApprovalGap,
    to: BlockRef,
    approvals: readonly TimedApproval[],
  ): Promise<boolean>
}

/** What no log tells, as it was read at one block. */
export interface UnloggedState {
  readonly tokens: readonly { readonly address: Address; readonly paused: boolean }[]
  /** The first day that remit has not finished, as a day number. */
  readonly nextUncheckedDay: number
  /** The chain's day number. */
  readonly today: number
}

/** The port of `sweep/UnloggedStateWatch.ts`: makes events of state that no log shows. */
export interface WatchStore {
  /** Writes what has changed since the last call into the log of events, unless the block is no longer the index's last one. Throws LeaseLostError. */
  logChanges(lease: Lease, block: BlockRef, seen: UnloggedState): Promise<void>
}

/** A provider that is to be looked up, and what is known of it. */
export interface DueProvider {
  readonly provider: Address
  /** Its newest profile: where it was logged, and the domain that it states. */
  readonly profile: ProfilePlace | undefined
  /** When the domain of this profile was last found to be the provider's own, in unix seconds; `undefined` if it was not. */
  readonly signedAt: number | undefined
  /** How many look-ups in a row have not found it to be the provider's own. */
  readonly tries: number
}

/** Where a profile was logged, and the domain that it states. */
export interface ProfilePlace {
  readonly blockNumber: number
  readonly logIndex: number
  readonly domain: string
}

/** What was found of a provider. */
export interface ProviderFinding {
  readonly provider: Address
  /** The profile that was looked up; `undefined` for a provider without one. */
  readonly profile: ProfilePlace | undefined
  /** `undefined` where no domain was looked up. */
  readonly domain:
    | { readonly name: string | null; readonly outcome: DomainOutcome; readonly checkedAt: number }
    | undefined
  /** As in `DueProvider`, this look-up included. */
  readonly tries: number
  /** The name that the chain's name service has for it, if any; `undefined` where it could not be read: then the known one is kept. */
  readonly chainName: string | null | undefined
  /** Unix seconds of the wall clock: when this was found, and when to look again. */
  readonly foundAt: number
  readonly dueAt: number
}

/** The port of `providers/ProviderLookups.ts`, which checks the domains and reads the on-chain names of providers. */
export interface ProviderStore {
  /** At most `first` of those due at `now` (unix seconds): first those whose domain is known to be theirs, then who waits longest. */
  dueProviders(chainId: number, now: number, first: number): Promise<readonly DueProvider[]>
  countDue(chainId: number, now: number): Promise<number>
  /**
   * Writes nothing for a provider that has published another profile meanwhile, or if the block is not on the indexed chain any
   * more. Throws LeaseLostError.
   */
  writeFinding(lease: Lease, block: BlockRef, finding: ProviderFinding): Promise<void>
}
