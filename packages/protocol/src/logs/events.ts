/** Decodes the logs of the contract and of ERC-20 tokens, for the index, for proofs and for what simulations show. */

import { ISubscriptionsEvents } from '@remit/contracts/ISubscriptionsEvents'
import {
  type Address,
  concatHex,
  decodeAbiParameters,
  decodeEventLog,
  erc20Abi,
  getAbiItem,
  type Hex,
  parseAbiParameters,
  toEventSelector,
  zeroAddress,
} from 'viem'
import { type Frequency, parseFrequency } from '../subscription.ts'
import { cleanText } from '../text.ts'

/** The part of a log that it is decoded from. */
export interface EncodedLog {
  readonly address: Address
  readonly topics: readonly Hex[]
  readonly data: Hex
}

/** One step in a subscription's life. */
export interface SubLog {
  readonly type: 'SubLog'
  readonly eventName: SubscriptEventName
  readonly subScriptEvent: number
  readonly id: Hex
  readonly provider: Address
  /** Absent in Created and Cancelled. */
  readonly subscriber: Address | undefined
  readonly token: Address
  /** An amount in protocol units (18 decimals). What it means differs by event: see SUBSCRIPT_EVENTS. */
  readonly amount: bigint
  readonly timestamp: number
}

/** A subscription's details. The contract logs them for its provider only. */
export interface DetailsLog {
  readonly type: 'DetailsLog'
  readonly id: Hex
  readonly provider: Address
  readonly timestamp: number
  readonly url: string
  readonly description: string
}

/** A provider's profile. */
export interface ProvDetailsLog {
  readonly type: 'ProvDetailsLog'
  readonly provider: Address
  readonly timestamp: number
  readonly description: string
  readonly company: string
  readonly url: string
  readonly domain: string
  readonly email: string
  readonly misc: string
}

/** A day (`checkedDay`) that remit finished, or broke off after the contract's maxRemits subscribers. Every call of remit ends with one. */
export interface CallerLog {
  readonly type: 'CallerLog'
  readonly timestamp: number
  readonly checkedDay: number
  readonly caller: Address
  readonly isFinished: boolean
}

/** An account was put on the unsubscribed list, because remit had broken off in its subscription. */
interface UnsubscribedListLog {
  readonly type: 'UList'
  readonly timestamp: number
  readonly id: Hex
  readonly subscriber: Address
}

/** Where remit stood when it processed a subscriber. Positions count from 1 and are walked downwards. */
export interface CoordinatesLog {
  readonly type: 'Coordinates'
  readonly id: Hex
  readonly subscriberPosition: number
  readonly subscriptionPosition: number
  readonly frequency: Frequency
  readonly nextUncheckedDay: number
}

export type ProtocolEvent =
  | SubLog
  | DetailsLog
  | ProvDetailsLog
  | CallerLog
  | UnsubscribedListLog
  | CoordinatesLog

/** An ERC-20's log, in raw units. */
type TokenEvent =
  | { readonly type: 'Transfer'; readonly from: Address; readonly to: Address; readonly amountRaw: bigint }
  | {
      readonly type: 'Approval'
      readonly owner: Address
      readonly spender: Address
      readonly amountRaw: bigint
    }

/** A decoded log. `Unknown` is every log that is neither the contract's nor a plain ERC-20's. */
export type DecodedLog<Log extends EncodedLog = EncodedLog> = (
  | ProtocolEvent
  | TokenEvent
  | { readonly type: 'Unknown' }
) & { readonly log: Log }

/** The longest text of details or of a profile that is passed on. It is above every limit of the inputs. */
export const MAX_DETAILS_LENGTH = 4_096

/** The events of the contract by their topics, so that viem looks at one event and not at each. */
const EVENTS = new Map(ISubscriptionsEvents.abi.map((item) => [toEventSelector(item), [item]] as const))

// A remit logs thousands of these three, and viem would hash an event's signature anew for each log. So these are decoded as one list of
// words, those in topics before those in data: all their fields are words of 32 bytes.
const SUB_LOG = toEventSelector(getAbiItem({ abi: ISubscriptionsEvents.abi, name: 'SubLog' }))
const SUB_LOG_WORDS = parseAbiParameters(
  'bytes32 id, address provider, address subscriber, uint40 timestamp, uint256 amount, address token, uint8 subScriptEvent',
)
const COORDINATES = toEventSelector(getAbiItem({ abi: ISubscriptionsEvents.abi, name: 'Coordinates' }))
const COORDINATES_WORDS = parseAbiParameters(
  'bytes32 id, uint40 nextUncheckedDay, uint256 subscriberIndex, uint256 subscriptionIndex, uint256 frequency',
)
const TRANSFER = toEventSelector(getAbiItem({ abi: erc20Abi, name: 'Transfer' }))
const APPROVAL = [getAbiItem({ abi: erc20Abi, name: 'Approval' })] as const
const TRANSFER_WORDS = parseAbiParameters('address from, address to, uint256 value')

/**
 * The contract's event in a log, or `undefined` where it is none. Texts come cleaned.
 *
 * Any contract can emit such a log, so compare its address, or use `decodeLogs`.
 */
export function decodeProtocolLog(log: Pick<EncodedLog, 'topics' | 'data'>): ProtocolEvent | undefined {
  return decodeOrUndefined(log, ({ topics, data }) => {
    if (topics[0] === SUB_LOG && topics.length === 4) return subLog(topics, data)
    if (topics[0] === COORDINATES && topics.length === 3) return coordinates(topics, data)
    const event = decodeEventLog({ abi: EVENTS.get(topics[0] ?? '0x') ?? [], topics, data })
    switch (event.eventName) {
      case 'DetailsLog': {
        const { url, description, ...args } = event.args
        return { type: event.eventName, ...args, url: clean(url), description: clean(description) }
      }
      case 'ProvDetailsLog': {
        const { provider, timestamp, description, company, url, domain, email, misc } = event.args
        return {
          type: event.eventName,
          provider,
          timestamp,
          description: clean(description),
          company: clean(company),
          url: clean(url),
          domain: clean(domain),
          email: clean(email),
          misc: clean(misc),
        }
      }
      case 'CallerLog':
        return { type: event.eventName, ...event.args }
      case 'UList':
        return { type: event.eventName, ...event.args }
      default:
        // A SubLog or Coordinates with fewer or more topics than the contract's have: another contract's.
        return undefined
    }
  })
}

function subLog([, ...indexed]: readonly Hex[], data: Hex): SubLog {
  const words = decodeAbiParameters(SUB_LOG_WORDS, concatHex([...indexed, data]))
  const [id, provider, subscriber, timestamp, amount, token, subScriptEvent] = words
  return {
    type: 'SubLog',
    eventName: subscriptEventName(subScriptEvent),
    subScriptEvent,
    id,
    provider,
    subscriber: subscriber === zeroAddress ? undefined : subscriber,
    token,
    amount,
    timestamp,
  }
}

function coordinates([, ...indexed]: readonly Hex[], data: Hex): CoordinatesLog {
  const words = decodeAbiParameters(COORDINATES_WORDS, concatHex([...indexed, data]))
  const [id, nextUncheckedDay, subscriberIndex, subscriptionIndex, frequency] = words
  return {
    type: 'Coordinates',
    id,
    subscriberPosition: Number(subscriberIndex),
    subscriptionPosition: Number(subscriptionIndex),
    frequency: parseFrequency(frequency),
    nextUncheckedDay,
  }
}

/** The ERC-20 event in a log, or `undefined` where it is none. Any address may have emitted it. */
export function decodeTokenLog(log: Pick<EncodedLog, 'topics' | 'data'>): TokenEvent | undefined {
  return decodeOrUndefined(log, ({ topics, data }) => {
    if (topics[0] === TRANSFER && topics.length === 3) {
      const [from, to, amountRaw] = decodeAbiParameters(TRANSFER_WORDS, concatHex([...topics.slice(1), data]))
      return { type: 'Transfer', from, to, amountRaw }
    }
    const { owner, spender, value } = decodeEventLog({ abi: APPROVAL, topics, data }).args
    return { type: 'Approval', owner, spender, amountRaw: value }
  })
}

/**
 * All logs of a receipt or a range in their order, each with what it says. Never throws.
 *
 * Protocol events count only from the contract; transfers and approvals from any address.
 */
export function decodeLogs<Log extends EncodedLog>(
  logs: readonly Log[],
  contractAddress: Address,
): DecodedLog<Log>[] {
  const contract = contractAddress.toLowerCase()
  return logs.map((log) => {
    const fromContract = log.address.toLowerCase() === contract
    const event = fromContract ? decodeProtocolLog(log) : decodeTokenLog(log)
    return { ...(event ?? { type: 'Unknown' }), log }
  })
}

// Any contract can emit a log with a known topic and other data. A log that cannot be decoded is not the protocol's.
function decodeOrUndefined<Event>(
  { topics, data }: Pick<EncodedLog, 'topics' | 'data'>,
  decode: (log: { topics: [Hex, ...Hex[]]; data: Hex }) => Event | undefined,
): Event | undefined {
  const [signature, ...indexed] = topics
  if (signature === undefined) return undefined
  try {
    return decode({ topics: [signature, ...indexed], data })
  } catch {
    return undefined
  }
}

function clean(text: string): string {
  return cleanText(text, MAX_DETAILS_LENGTH)
}

/** The kinds of a SubLog, in the service's words, with their numbers in the contract (docs/protocol.md). */
export const SUBSCRIPT_EVENT_NUMBERS = {
  Created: 0,
  Cancelled: 1,
  ProviderPaid: 2,
  Failed: 3,
  ProviderRefunded: 4,
  SubscriberPaid: 5,
  Subscribed: 6,
  Unsubscribed: 7,
  FeeFilled: 8,
  SubscriberRefunded: 9,
} as const

export type SubscriptEventName = keyof typeof SUBSCRIPT_EVENT_NUMBERS

interface SubscriptEvent {
  readonly name: SubscriptEventName
  /** The enum member's name in the contract. */
  readonly contractName: string
  /** What the log's `amount` means. It is not always what moved. */
  readonly amountMeans: string
}

/** The SubLog events by their number. */
export const SUBSCRIPT_EVENTS: readonly SubscriptEvent[] = [
  {
    name: 'Created',
    contractName: 'CREATE',
    amountMeans: 'The price of one full period. Nothing moved.',
  },
  {
    name: 'Cancelled',
    contractName: 'CANCEL',
    amountMeans: 'Always 0. Nothing moved.',
  },
  {
    name: 'ProviderPaid',
    contractName: 'PROVPAID',
    amountMeans: 'What was paid to the provider.',
  },
  {
    name: 'Failed',
    contractName: 'FAILED',
    amountMeans: 'Always 0: a due payment could not be taken, and the subscriber was dropped.',
  },
  {
    name: 'ProviderRefunded',
    contractName: 'PROVREFUND',
    amountMeans:
      'What the provider got of a fee balance when its subscriber left or was dropped; 0 where it was empty.',
  },
  {
    name: 'SubscriberPaid',
    contractName: 'SUBPAID',
    amountMeans:
      'The full period taken from the subscriber: the same money as the ProviderPaid that follows it.',
  },
  {
    name: 'Subscribed',
    contractName: 'SUBSCRIBED',
    amountMeans:
      'The price of one full period. What was charged at once is in the FeeFilled and ProviderPaid beside it.',
  },
  {
    name: 'Unsubscribed',
    contractName: 'UNSUBSCRIBED',
    amountMeans: 'The price of one full period. Nothing moved.',
  },
  {
    name: 'FeeFilled',
    contractName: 'FEEFILL',
    amountMeans:
      'Beside a Subscribed, what went into the fee balance; in a remit, the full period, ' +
      'of which a ProviderPaid beside it states the part that went to the provider.',
  },
  {
    name: 'SubscriberRefunded',
    contractName: 'SUBREFUND',
    amountMeans:
      'The price of one full period, whatever was refunded: what moved is in the token transfer beside it.',
  },
]

// Safe: they are its keys, in the order of their numbers.
const NAMES = Object.keys(SUBSCRIPT_EVENT_NUMBERS) as SubscriptEventName[]

/** The event's name. @throws RangeError for a number that the enum lacks */
export function subscriptEventName(subScriptEvent: number): SubscriptEventName {
  const name = NAMES[subScriptEvent]
  if (name === undefined) throw new RangeError(`${subScriptEvent} is not a SubLog event (0 to 9)`)
  return name
}
