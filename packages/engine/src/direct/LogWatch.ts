import type { Address, Hex } from 'viem'
import type { Chains } from '../chain/Chains.ts'
import { RemitError } from '../errors/base.ts'
import { CursorStaleError, UpstreamError } from '../errors/chain.ts'
import { ValidationError } from '../errors/input.ts'
import { createChainNodes } from '../indexing/createChainNodes.ts'
import { FactReader } from '../indexing/events/FactReader.ts'
import { eventId, happenedIn } from '../indexing/events/happenedIn.ts'
import { MembershipChanges } from '../indexing/events/MembershipChanges.ts'
import { groupBy } from '../indexing/groupBy.ts'
import { createRpcSource } from '../indexing/logs/createRpcSource.ts'
import { finalityAt, type Happened, type LoggedEvent } from '../ports/events.ts'
import type { BlockRef } from '../ports/history.ts'
import type { Log } from '../ports/log.ts'
import type { ChainNodes } from '../ports/nodes.ts'
import { blockOf, type EventSource, type IndexTip, type PlacedEvent, type Step } from '../ports/source.ts'
import { encodeEvents, type WireEvent } from '../presentation/event.ts'
import { Notifier } from '../waiting/Notifier.ts'

/** Whom a watch is about: a subscription, or an account that subscribes. */
export type WatchSubject = { readonly subscriptionId: Hex } | { readonly account: Address }

/** An event, and where a watch goes on after it. Its `sequence` is its place in this watch. */
export interface WatchedEvent {
  readonly event: WireEvent
  readonly position: string
}

/** After so long without news of a new block, the node is asked all the same. */
const IDLE_MS = 5_000
/** The same while the node has announced a block whose logs it does not have yet. */
const LAGGING_MS = 300
/** The text of a position: a block's number and hash, and the id of the event that was told last, unless that was a retraction. */
const POSITION = /^(\d{1,15}):(0x[0-9a-f]{64})(?::(evt_[0-9a-f]{40}))?$/

/**
 * Tells what happens to one subject, for a client that has a node and no service: by the contract's logs, block by block, in
 * the events that the log of an index would have. Its user calls `next` and `wait` in turn.
 *
 * The logs come from the same source as a service's index has (`createRpcSource`), in steps: a step is the next blocks with
 * their events, from an ancestor on; after a reorganisation the ancestor lies below what was read. For the source, this watch plays
 * the index (`#tip`). Of each step, `#take` tells as retracted what was told of lost blocks, and then what is new. A failed step
 * changes nothing: the next call tries it again.
 */
export class LogWatch {
  /** Call it once. */
  readonly close: () => void
  readonly #chains: Chains
  readonly #chainId: number
  readonly #subject: WatchSubject
  readonly #nodes: ChainNodes
  readonly #source: EventSource
  readonly #facts: FactReader
  readonly #membershipChanges: MembershipChanges
  readonly #news = new Notifier()
  /** The position to go on after: the event with this id in this block, or without an id the whole block; `undefined` once it is read. */
  #after: { readonly number: number; readonly hash: string; readonly id: string | undefined } | undefined
  /** Blocks that it has read, oldest first: the newest final one, and those that may still be lost. */
  #blocks: readonly BlockRef[] = []
  #finalizedBlock = 0
  /** What was told of blocks that are not final, or was known to the user: a reorganisation would take it back. */
  #told: readonly Happened[] = []
  /** The sequence of the event that was told last: it counts this watch's events. */
  #sequence = 0
  /** Whether the source has said that it is worth asking again soon. */
  #isLagging = false

  /**
   * @param options.after the position of the last event that is known; default: it begins at the head
   * @throws ValidationError for a position of something else
   */
  constructor(options: {
    chains: Chains
    chainId: number
    subject: WatchSubject
    after: string | undefined
    log: Log
    onClosed: () => void
  }) {
    const { chains, chainId, subject, after, log, onClosed } = options
    this.#chains = chains
    this.#chainId = chainId
    this.#subject = subject
    this.#after = after === undefined ? undefined : parsePosition(after)
    this.#nodes = createChainNodes(chains.indexing(chainId))
    this.#source = createRpcSource({ nodes: this.#nodes, firstBlock: 0, log })
    this.#facts = new FactReader(this.#nodes)
    this.#membershipChanges = new MembershipChanges(chains, this.#nodes)
    const stopListening = this.#source.onNews(() => this.#news.notify())
    this.close = () => {
      stopListening()
      onClosed()
    }
  }

  /**
   * What happened since, oldest first; nothing where the newest block has been read.
   *
   * Throws UpstreamError and what else a node's failures become, which are worth another try, and CursorStaleError where the
   * block of `after` was reorganised away, or where the node no longer has the state that tells who was a member.
   */
  async next(signal: AbortSignal): Promise<readonly WatchedEvent[]> {
    try {
      if (this.#blocks.length === 0) this.#blocks = [await this.#beginning(signal)]
      for (;;) {
        const answer = await this.#source.next(this.#tip(), signal)
        this.#isLagging = answer.kind === 'idle' && answer.soon === true
        if (answer.kind === 'idle') return []
        const events = await this.#take(answer.step, signal)
        if (events.length > 0) return events
      }
    } catch (error) {
      signal.throwIfAborted()
      throw error instanceof RemitError ? error : new UpstreamError(this.#chainId, { cause: error })
    }
  }

  /** Waits until there may be something to read. Keeps the process alive meanwhile. */
  async wait(signal: AbortSignal): Promise<void> {
    await this.#news.wait(this.#isLagging ? LAGGING_MS : IDLE_MS, signal)
    signal.throwIfAborted()
  }

  /** The block after which reading begins: with an event to go on after, the one before its block. */
  async #beginning(signal: AbortSignal): Promise<BlockRef> {
    const after = this.#after
    if (after === undefined) return (await this.#nodes.head(signal)).head
    const numbers = after.id === undefined ? [after.number] : [after.number, after.number - 1]
    const headers = await this.#nodes.headers(numbers, signal)
    const base = headers.at(-1)
    if (base === undefined || headers[0] === undefined) throw new UpstreamError(this.#chainId)
    if (headers[0].hash !== after.hash) throw new CursorStaleError()
    return blockOf(base)
  }

  /** What has been read, in the form in which a source expects an index. No event of a watch is about an approval, so none is read. */
  #tip(): IndexTip {
    const blocks = this.#blocks.toReversed()
    const [block] = blocks
    if (block === undefined) throw new RangeError('the watch has not begun')
    return {
      block,
      finalizedBlock: this.#finalizedBlock,
      approvalsOf: [],
      rememberedBlocks: async (below, most) => blocks.filter(({ number }) => number <= below).slice(0, most),
    }
  }

  /** Takes a step over: which of its events are new, and which that were told are lost. */
  async #take(step: Step, signal: AbortSignal): Promise<readonly WatchedEvent[]> {
    const { ancestor, to } = step
    const before = { blockNumber: this.#tip().block.number, finalizedBlock: this.#finalizedBlock }
    const finalizedBlock = Math.max(this.#finalizedBlock, step.finalizedBlock)
    const happened = await this.#happened(step, signal)
    // Four sets: told already, known to the user, lost with their blocks, and fresh, which are told now. A block above the ancestor may
    // come once more, with the same ids: its events are neither lost nor fresh.
    const known = this.#knownOf(happened, to)
    const stays = new Set(happened.map(({ id }) => id))
    const told = new Set([...this.#told, ...known].map(({ id }) => id))
    const lost = this.#told.filter(({ id, block }) => block.number > ancestor.number && !stays.has(id))
    const fresh = happened.filter(({ id }) => !told.has(id))
    const retractions = retractionsOf(this.#chainId, lost, step, before)
    const logged = [...retractions, ...fresh].map((each, index) => {
      const finality = finalityAt(each.block.number, { blockNumber: to.number, finalizedBlock })
      const place = { chainId: this.#chainId, sequence: this.#sequence + index + 1, finality }
      // Safe: type and facts stay together.
      return { ...each, ...place } as LoggedEvent
    })
    const events = await encodeEvents(this.#chains, this.#chainId, logged)
    signal.throwIfAborted()
    // Nothing below fails, so a step is taken completely or not at all.
    if (this.#after !== undefined && to.number >= this.#after.number) this.#after = undefined
    this.#sequence += events.length
    this.#finalizedBlock = finalizedBlock
    this.#told = [...this.#told.filter((each) => !lost.includes(each)), ...known, ...fresh].filter(
      ({ block }) => block.number > finalizedBlock,
    )
    this.#remember(step)
    return events.map((event) => ({ event, position: positionOf(event) }))
  }

  /** Of a step with the block of `#after`, the events up to that one: the user knows them already. */
  #knownOf(happened: readonly Happened[], to: BlockRef): readonly Happened[] {
    const after = this.#after
    if (after?.id === undefined || to.number < after.number) return []
    const last = happened.findIndex(({ id }) => id === after.id)
    if (last < 0) throw new CursorStaleError()
    return happened.slice(0, last + 1)
  }

  /** What happened to the subject. All other events of its blocks are read too: they say what a payer had left. */
  async #happened(step: Step, signal: AbortSignal): Promise<readonly Happened[]> {
    const blocks = new Set(step.events.filter(this.#concerns).map(({ blockNumber }) => blockNumber))
    const events = step.events.filter(({ blockNumber }) => blocks.has(blockNumber))
    if (events.length === 0) return []
    const { approvals: _, ...rest } = step
    const narrowed = { ...rest, events }
    const facts = await this.#facts.read(narrowed, signal)
    const about = facts.payments.filter((payment) =>
      this.#isSubject(payment.subscriptionId, payment.subscriber),
    )
    const { payments, changing } = await this.#membershipChanges.find(about, events, signal)
    const changesMembership = (payment: (typeof payments)[number]) => changing.has(payment)
    return happenedIn(this.#chainId, narrowed, { ...facts, payments, changesMembership }).filter(
      ({ subject }) => this.#isSubject(subject.subscriptionId, subject.account),
    )
  }

  /** Whether an event may be about the subject. */
  readonly #concerns = ({ event }: PlacedEvent): boolean =>
    (event.type === 'SubLog' && this.#isSubject(event.id, event.subscriber)) ||
    (event.type === 'DetailsLog' && this.#isSubject(event.id, undefined))

  #isSubject(subscriptionId: Hex | null, account: Address | null | undefined): boolean {
    return 'account' in this.#subject
      ? account?.toLowerCase() === this.#subject.account.toLowerCase()
      : subscriptionId?.toLowerCase() === this.#subject.subscriptionId.toLowerCase()
  }

  /** Keeps the blocks up to the step's ancestor and the step's own, of all of them only the newest final one and those after it. */
  #remember({ ancestor, blocks, to }: Step): void {
    const kept = this.#blocks.filter(({ number }) => number <= ancestor.number)
    const all = new Map([...kept, ...blocks, to].map((block) => [block.number, block]))
    const sorted = [...all.values()].sort((one, other) => one.number - other.number)
    const firstOpen = sorted.findIndex(({ number }) => number > this.#finalizedBlock)
    this.#blocks = sorted.slice(Math.max(0, firstOpen < 0 ? sorted.length - 1 : firstOpen - 1))
  }
}

function parsePosition(position: string) {
  const [, number, hash, id] = POSITION.exec(position) ?? []
  if (number === undefined || hash === undefined)
    throw ValidationError.of('after', 'is no position of a watch over a node')
  return { number: Number(number), hash, id }
}

function positionOf({ type, block, id }: WireEvent): string {
  // A retraction has the block up to which the chain stays. All events of that block were told before, so it needs no id.
  return type === 'retracted' ? `${block.number}:${block.hash}` : `${block.number}:${block.hash}:${id}`
}

/** The events that take lost ones back: one for each membership or subscription, as a service tells them. */
function retractionsOf(
  chainId: number,
  lost: readonly Happened[],
  { ancestor, to }: Step,
  before: { readonly blockNumber: number; readonly finalizedBlock: number },
): readonly Happened[] {
  const { number, hash, timestamp } = ancestor
  const groups = groupBy(lost, ({ subject }) => JSON.stringify(subject))
  return [...groups.values()].flatMap((group) => {
    const [first] = group
    if (first === undefined) return []
    const ids = group.map(({ id }) => id)
    const types = [...new Set(group.map(({ type }) => type))]
    const reached = finalityAt(Math.min(...group.map(({ block }) => block.number)), before)
    return {
      id: eventId(chainId, 'retracted', to.hash, ...ids),
      type: 'retracted' as const,
      block: { number, hash, timestamp },
      logIndex: null,
      transactionHash: null,
      subject: first.subject,
      facts: { ids, types, reached },
    }
  })
}
