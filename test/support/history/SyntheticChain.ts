import { createHash } from 'node:crypto'
import type { BlockRef } from '@remit/engine/ports/history'
import type {
  PlacedEvent,
  PlacedPayment,
  ScheduleTerms,
  Step,
  StepFacts,
  TimedApproval,
} from '@remit/engine/ports/source'
import type { SubLog } from '@remit/protocol/logs/events'
import { SUBSCRIPT_EVENTS, subscriptEventName } from '@remit/protocol/logs/events'
import { parseFrequency } from '@remit/protocol/subscription'
import type { Address, Hex } from 'viem'

/** An event that is not in a block yet. Its transaction keeps its hash in whatever block it is. */
export interface LooseEvent {
  readonly event: PlacedEvent['event']
  readonly transactionHash: Hex
}

/** An approval that is not in a block yet. */
export type LooseApproval = Pick<TimedApproval, 'owner' | 'token' | 'amountRaw' | 'transactionHash'>

export interface SyntheticBlock {
  readonly ref: BlockRef
  readonly events: readonly PlacedEvent[]
  readonly approvals: readonly TimedApproval[]
}

/** The time of block 0. */
const BEGUN = 1_800_000_000

/** A chain in memory, of events that nothing has checked: what a projection is written from, block by block. */
export class SyntheticChain {
  readonly firstBlock = 100
  readonly origin: BlockRef
  readonly genesisHash = hashOf('genesis')
  readonly contract = addressOf('contract')
  #blocks: SyntheticBlock[] = []
  #salt = 0
  readonly #secondsPerBlock: number

  constructor(secondsPerBlock = 2) {
    this.#secondsPerBlock = secondsPerBlock
    this.origin = this.#refOf(99, hashOf('before'), 'origin')
  }

  get blocks(): readonly SyntheticBlock[] {
    return this.#blocks
  }

  get head(): BlockRef {
    return this.#blocks.at(-1)?.ref ?? this.origin
  }

  /** Appends a block; its logs are `gap` apart, as other contracts' logs lie between. Its approvals come last. */
  mine(events: readonly LooseEvent[], gap = 1, approvals: readonly LooseApproval[] = []): void {
    this.#salt += 1
    const { number, hash } = this.head
    const ref = this.#refOf(number + 1, hash, String(this.#salt))
    this.#blocks.push({
      ref,
      approvals: approvals.map((approval, index) => ({
        ...approval,
        blockNumber: ref.number,
        blockHash: ref.hash,
        timestamp: ref.timestamp,
        logIndex: events.length * gap + index,
      })),
      events: events.map(({ event, transactionHash }, index) => ({
        event: { ...event, timestamp: ref.timestamp },
        transactionHash,
        blockNumber: ref.number,
        blockHash: ref.hash,
        logIndex: index * gap,
      })),
    })
  }

  /** Takes the newest blocks away. */
  drop(count: number): readonly SyntheticBlock[] {
    return count === 0 ? [] : this.#blocks.splice(-count)
  }

  /** Puts a block back on top of the one that it was on. */
  restore(block: SyntheticBlock | undefined): void {
    if (block?.ref.parentHash !== this.head.hash) throw new Error('the block belongs elsewhere')
    this.#blocks.push(block)
  }

  /** Whether this block is in the chain now. */
  has({ number, hash }: BlockRef): boolean {
    return this.block(number)?.hash === hash
  }

  block(number: number): BlockRef | undefined {
    return number === this.origin.number ? this.origin : this.#blocks[number - this.firstBlock]?.ref
  }

  /** The approvals of these tokens in blocks above one, up to another. */
  approvals(above: number, upTo: number, tokens: readonly Address[]): readonly TimedApproval[] {
    const known = new Set(tokens.map((token) => token.toLowerCase()))
    const between = this.#blocks.slice(above + 1 - this.firstBlock, upTo + 1 - this.firstBlock)
    return between.flatMap(({ approvals }) => approvals.filter(({ token }) => known.has(token)))
  }

  /** The step over a block that is in the chain, to one that is. */
  step(ancestor: BlockRef, toNumber: number, finalizedBlock: number): Step {
    const to = this.block(toNumber)
    if (to === undefined) throw new Error(`there is no block ${toNumber}`)
    const between = this.#blocks.slice(ancestor.number + 1 - this.firstBlock, toNumber + 1 - this.firstBlock)
    return {
      ancestor,
      to,
      finalizedBlock,
      events: between.flatMap(({ events }) => events),
      blocks: between
        .map(({ ref }) => ref)
        .filter(({ number }) => number > finalizedBlock || number === toNumber),
    }
  }

  #refOf(number: number, parentHash: Hex, salt: string): BlockRef {
    const timestamp = BEGUN + this.#secondsPerBlock * number
    return { number, hash: hashOf(`${number} ${parentHash} ${salt}`), parentHash, timestamp }
  }
}

/** Terms made of a subscription's id: the same whenever they are asked for. */
export function syntheticTerms({ events }: Pick<Step, 'events'>): ReadonlyMap<Hex, ScheduleTerms> {
  const terms = new Map<Hex, ScheduleTerms>()
  for (const { event } of events) {
    if (event.type !== 'SubLog' || event.eventName !== 'Created') continue
    const byte = Number.parseInt(event.id.slice(-2), 16)
    terms.set(event.id, { frequency: parseFrequency(byte % 4), dueDay: 1 + (byte % 7) })
  }
  return terms
}

/** What the nodes would add to a step: terms, and a payment for each event that moves something. */
export function syntheticFacts(step: Pick<Step, 'events'>): StepFacts {
  return { terms: syntheticTerms(step), payments: step.events.flatMap(syntheticPayments) }
}

/** The facts of a step that creates nothing and moves nothing. */
export const NO_FACTS: StepFacts = { terms: new Map(), payments: [] }

const KINDS: Partial<Record<SubLog['eventName'], PlacedPayment['kind']>> = {
  Subscribed: 'firstCharge',
  ProviderPaid: 'period',
  FeeFilled: 'feeFill',
  Unsubscribed: 'left',
  Failed: 'dropped',
  SubscriberRefunded: 'cleanedUp',
}

function syntheticPayments({ event, blockNumber, logIndex, transactionHash }: PlacedEvent): PlacedPayment[] {
  if (event.type !== 'SubLog' || event.subscriber === undefined) return []
  const kind = KINDS[event.eventName]
  if (kind === undefined) return []
  const { id: subscriptionId, provider, subscriber, token, amount, timestamp } = event
  const isCharge = kind === 'firstCharge' || kind === 'period' || kind === 'feeFill'
  const moved = amount / 10n ** 12n
  return [
    {
      kind,
      subscriptionId,
      provider,
      subscriber,
      token,
      period: amount,
      dayNumber: Math.floor(timestamp / 86_400),
      timestamp,
      toProvider: kind === 'feeFill' || kind === 'cleanedUp' ? 0n : moved,
      toFeeBalance: kind === 'feeFill' ? moved : 0n,
      toSubscriber: kind === 'cleanedUp' ? moved : 0n,
      callerFee: isCharge ? moved / 50n : 0n,
      systemShare: 0n,
      isStated: true,
      blockNumber,
      logIndex,
      lastLogIndex: logIndex,
      transactionHash,
      dropReason: kind === 'dropped' ? 'balance' : null,
    },
  ]
}

let transactions = 0

/** An event in a transaction of its own. */
export function loose(event: LooseEvent['event']): LooseEvent {
  transactions += 1
  return { event, transactionHash: hashOf(`transaction ${transactions}`) }
}

/** An approval in a transaction of its own. */
export function looseApproval(owner: Address, token: Address): LooseApproval {
  transactions += 1
  return {
    owner,
    token,
    amountRaw: BigInt(transactions),
    transactionHash: hashOf(`transaction ${transactions}`),
  }
}

/** A SubLog by its number, 0 to 9. */
export function subLog(
  subScriptEvent: number,
  fields: { id: Hex; provider: Address; subscriber?: Address; token?: Address; amount?: bigint },
): LooseEvent {
  const { id, provider, subscriber, token = addressOf('token'), amount = 10n ** 19n } = fields
  const event: SubLog = {
    type: 'SubLog',
    eventName: subscriptEventName(subScriptEvent),
    subScriptEvent,
    id,
    provider,
    subscriber,
    token,
    amount,
    timestamp: 0,
  }
  return loose(event)
}

/** The number of a SubLog by the service's word for it. */
export function eventNumber(name: SubLog['eventName']): number {
  return SUBSCRIPT_EVENTS.findIndex((event) => event.name === name)
}

export function addressOf(name: string): Address {
  return `0x${digest(name).slice(0, 40)}`
}

export function hashOf(name: string): Hex {
  return `0x${digest(name)}`
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}
