import { type Address, decodeEventLog, erc20Abi, type Hex, isAddressEqual, zeroAddress } from 'viem'
import { ISubscriptions } from '../../../contracts/generated/ISubscriptions.ts'
import { type Frequency, parseFrequency } from '../subscription.ts'
import { cleanText } from '../text.ts'
import { type SubscriptEventName, subscriptEventName } from './subscriptEvent.ts'

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
  /** In protocol units. What it means differs by event: see SUBSCRIPT_EVENTS. */
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

/** A day that remit finished, or broke off at maxRemits. */
export interface CallerLog {
  readonly type: 'CallerLog'
  readonly timestamp: number
  readonly checkedDay: number
  readonly caller: Address
  readonly isFinished: boolean
}

/** An account put on the unsubscribed list, because its subscription is the paging checkpoint. */
export interface UnsubscribedListLog {
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
export type TokenEvent =
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

/**
 * The contract's event in a log, or `undefined` where it is none. Texts come cleaned.
 *
 * It does not check which contract emitted the log: compare the address, or use `decodeLogs`.
 */
export function decodeProtocolLog(log: Pick<EncodedLog, 'topics' | 'data'>): ProtocolEvent | undefined {
  return decodeOrUndefined(log, ({ topics, data }) => {
    const event = decodeEventLog({ abi: ISubscriptions.abi, topics, data })
    switch (event.eventName) {
      case 'SubLog': {
        const { subScriptEvent, subscriber, ...args } = event.args
        return {
          type: event.eventName,
          ...args,
          eventName: subscriptEventName(subScriptEvent),
          subScriptEvent,
          subscriber: isAddressEqual(subscriber, zeroAddress) ? undefined : subscriber,
        }
      }
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
      case 'Coordinates': {
        const { id, subscriberIndex, subscriptionIndex, frequency, nextUncheckedDay } = event.args
        return {
          type: event.eventName,
          id,
          subscriberPosition: Number(subscriberIndex),
          subscriptionPosition: Number(subscriptionIndex),
          frequency: parseFrequency(frequency),
          nextUncheckedDay,
        }
      }
    }
  })
}

/** The ERC-20 event in a log, or `undefined` where it is none. Any address may have emitted it. */
export function decodeTokenLog(log: Pick<EncodedLog, 'topics' | 'data'>): TokenEvent | undefined {
  return decodeOrUndefined(log, ({ topics, data }) => {
    const { eventName, args } = decodeEventLog({ abi: erc20Abi, topics, data })
    return eventName === 'Transfer'
      ? { type: eventName, from: args.from, to: args.to, amountRaw: args.value }
      : { type: eventName, owner: args.owner, spender: args.spender, amountRaw: args.value }
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
  decode: (log: { topics: [Hex, ...Hex[]]; data: Hex }) => Event,
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
