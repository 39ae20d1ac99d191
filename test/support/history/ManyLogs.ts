import { createHash } from 'node:crypto'
import type { BlockRef } from '@remit/engine/ports/history'
import type { PlacedEvent, ScheduleTerms, Step } from '@remit/engine/ports/source'
import { subscriptEventName } from '@remit/protocol/logs/events'
import { parseFrequency } from '@remit/protocol/subscription'
import type { Address, Hex } from 'viem'

const FIRST_BLOCK = 1_000
const BEGUN = 1_700_000_000
const LOGS_PER_BLOCK = 5
const TOKENS = 4

/**
 * SubLogs of an invented past, always the same for the same size: a tenth of them create subscriptions, of
 * which one provider has a tenth; one account is in every subscription; one subscription has a twentieth of
 * all logs' subscribers; the others pay, leave and cancel. Beside them come details and profiles.
 */
export class ManyLogs {
  readonly size: number
  readonly subscriptions: number
  readonly #providers: number
  readonly #accounts: number
  readonly origin: BlockRef = blockRef(FIRST_BLOCK - 1)
  readonly genesisHash = hash('genesis')
  readonly contract = address('contract')
  readonly heavyProvider: Address
  readonly heavyAccount = address('everywhere')
  readonly crowded = this.subscription(1)

  get lastBlock(): number {
    return blockNumber(this.size - 1)
  }

  constructor(size: number) {
    this.size = size
    this.subscriptions = size / 10
    this.#providers = this.subscriptions / 50
    this.#accounts = this.subscriptions / 20
    this.heavyProvider = this.provider(0)
  }

  /** Every tenth subscription is the heavy provider's; the others have about fifty each, whatever the size. */
  provider(subscription: number): Address {
    return address(`provider ${subscription % 10 === 0 ? 'heavy' : subscription % this.#providers}`)
  }

  subscription(index: number): Hex {
    return hash(`subscription ${index}`)
  }

  token(subscription: number): Address {
    return address(`token ${Math.floor(subscription / this.#providers) % TOKENS}`)
  }

  account(index: number): Address {
    return address(`account ${index}`)
  }

  /** Steps of so many logs, final as in a first reading. */
  *steps(logsPerStep: number): Generator<{ step: Step; terms: ReadonlyMap<Hex, ScheduleTerms> }> {
    let ancestor = this.origin
    for (let start = 0; start < this.size; start += logsPerStep) {
      const count = Math.min(logsPerStep, this.size - start)
      const events = Array.from({ length: count }, (_, index) => this.#events(start + index)).flat()
      const to = blockRef(blockNumber(start + count - 1))
      const terms = new Map<Hex, ScheduleTerms>()
      for (const { event } of events) {
        if (event.type !== 'SubLog' || event.eventName !== 'Created') continue
        const byte = Number.parseInt(event.id.slice(-4), 16)
        terms.set(event.id, { frequency: parseFrequency(byte % 4), dueDay: 1 + (byte % 7) })
      }
      yield { step: { ancestor, to, finalizedBlock: to.number, events, blocks: [to] }, terms }
      ancestor = to
    }
  }

  /** A SubLog, and the details and the profile beside every creation. */
  #events(index: number): PlacedEvent[] {
    const event = this.#event(index)
    if (event.event.type !== 'SubLog' || event.event.eventName !== 'Created') return [event]
    const { id, provider, timestamp } = event.event
    const texts = { url: `https://example.com/${index}`, description: `Number ${index}` }
    const profile = { ...texts, company: 'Example', domain: 'example.com', email: '', misc: '' }
    const beside = [
      { type: 'DetailsLog', id, provider, timestamp, ...texts },
      { type: 'ProvDetailsLog', provider, timestamp, ...profile },
    ] as const
    return [
      event,
      ...beside.map((other, at) => ({ ...event, event: other, logIndex: event.logIndex + 1 + at })),
    ]
  }

  /** Ten logs go by: a creation, and nine of subscriptions that are there by then. */
  #event(index: number): PlacedEvent {
    const [made, turn] = [Math.floor(index / 10), index % 10]
    const random = Number.parseInt(createHash('md5').update(String(index)).digest('hex').slice(0, 8), 16)
    const older = random % (made + 1)
    switch (turn) {
      case 0:
        return this.#subLog(index, 0, made, undefined)
      case 1:
        return this.#subLog(index, 6, made, this.heavyAccount)
      case 2:
        return this.#subLog(index, 8, made, this.heavyAccount)
      case 3:
        // Half of these make the crowd of one subscription.
        return made % 2 === 0 && made > 1
          ? this.#subLog(index, 6, 1, this.account(made))
          : this.#subLog(index, 6, older, this.account(made % this.#accounts))
      case 4:
        // Two fifths of each provider's subscriptions are cancelled, each once, a while after their creation.
        return made > 50 && Math.floor((made - 40) / this.#providers) % 5 < 2
          ? this.#subLog(index, 1, made - 40, undefined)
          : this.#subLog(index, 7, older, this.account(random % this.#accounts))
      default:
        return this.#subLog(index, turn % 2 === 0 ? 2 : 5, older, this.account(random % this.#accounts))
    }
  }

  #subLog(index: number, number: number, subscription: number, subscriber: Address | undefined): PlacedEvent {
    const block = blockNumber(index)
    return {
      blockNumber: block,
      blockHash: blockRef(block).hash,
      logIndex: placeOf(index),
      transactionHash: hash(`transaction ${index}`),
      event: {
        type: 'SubLog',
        eventName: subscriptEventName(number),
        subScriptEvent: number,
        id: this.subscription(subscription),
        provider: this.provider(subscription),
        subscriber,
        token: this.token(subscription),
        amount: 10n ** 18n * BigInt(1 + (index % 50)),
        timestamp: BEGUN + 2 * block,
      },
    }
  }
}

/** A log's index, with room for two others behind it. */
function placeOf(index: number): number {
  return 3 * (index % LOGS_PER_BLOCK)
}

function blockNumber(index: number): number {
  return FIRST_BLOCK + Math.floor(index / LOGS_PER_BLOCK)
}

function blockRef(number: number): BlockRef {
  return {
    number,
    hash: hash(`block ${number}`),
    parentHash: hash(`block ${number - 1}`),
    timestamp: BEGUN + 2 * number,
  }
}

function address(name: string): Address {
  return `0x${digest(name).slice(0, 40)}`
}

function hash(name: string): Hex {
  return `0x${digest(name)}`
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}
