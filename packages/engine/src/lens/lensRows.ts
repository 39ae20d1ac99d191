import { CALLER_FEE, type FeeLimits, SYSTEM_FEE } from '@remit/protocol/fees'
import { accountStatus, type SubscriptionTerms, subscriptionTerms } from '@remit/protocol/subscription'
import { cleanText } from '@remit/protocol/text'
import { type Address, type Hex, hexToBytes, size } from 'viem'
import type { AccountSubscription, ProtocolSettings, TokenFacts } from '../ports/chainReads.ts'
import { uint8 } from '../rpc/quantity.ts'

// Turns rows of the lens's answers into the shapes of ports/chainReads.ts. What no honest answer can hold throws a RangeError.

/** No symbol or name that a person reads is longer. */
const MOST_CHARACTERS = 100

/**
 * A token in an answer of the lens: `TokenFacts` (ports/chainReads.ts, with units), whose `symbol` and `name` are still what the token
 * returned (`tokenText` reads them).
 */
export interface LensToken {
  readonly token: Address
  readonly decimals: number
  readonly paused: boolean
  readonly minimum: bigint
  readonly ownDecimals: number
  readonly symbol: Hex
  readonly name: Hex
}

/** What a token and the protocol say of it. @throws RangeError if the decimals are no uint8 */
export function tokenFacts(token: LensToken): TokenFacts {
  return {
    address: token.token,
    symbol: tokenText(token.symbol),
    name: tokenText(token.name),
    decimals: uint8(token.decimals),
    ownDecimals: uint8(token.ownDecimals),
    paused: token.paused,
    minimum: token.minimum,
  }
}

/** Tokens by address, for rows that name theirs. */
export class TokenMap {
  readonly #byAddress = new Map<Address, TokenFacts>()

  constructor(tokens: Iterable<LensToken>) {
    for (const token of tokens) this.#byAddress.set(token.token, tokenFacts(token))
  }

  all(): TokenFacts[] {
    return [...this.#byAddress.values()]
  }

  /** @throws RangeError if the answer does not hold the token */
  get(address: Address): TokenFacts {
    const token = this.#byAddress.get(address)
    if (token === undefined) throw new RangeError(`the answer lacks the token ${address}`)
    return token
  }
}

/** The protocol's settings. @throws RangeError if a fee is none that the contract could have */
export function protocolSettings(settings: {
  readonly callerFee: bigint
  readonly systemFee: bigint
  readonly maxRemits: bigint
  readonly cancelLimit: bigint
  readonly nextUncheckedDay: bigint
}): ProtocolSettings {
  return {
    callerFee: within(CALLER_FEE, settings.callerFee),
    systemFee: within(SYSTEM_FEE, settings.systemFee),
    maxRemits: toCount(settings.maxRemits),
    cancelLimit: toCount(settings.cancelLimit),
    nextUncheckedDay: toCount(settings.nextUncheckedDay),
  }
}

function within({ least, most }: FeeLimits, fee: bigint): bigint {
  if (fee < least || fee > most) throw new RangeError(`the answer has a fee of ${fee}`)
  return fee
}

/** A row of an account's list, as the contract answers it. */
export interface SubViewRow {
  readonly subscription: Parameters<typeof subscriptionTerms>[0]
  readonly status: number
  readonly totalSubscribers: bigint
}

export function accountRow(row: SubViewRow, tokens: TokenMap): AccountSubscription {
  const terms = subscriptionTerms(row.subscription)
  return {
    terms,
    token: tokens.get(terms.token),
    status: accountStatus(row.status),
    totalSubscribers: toCount(row.totalSubscribers),
  }
}

/** The terms; `undefined` for the zeros that the contract answers for an id that it does not know. */
export function existingTerms(
  struct: Parameters<typeof subscriptionTerms>[0],
): SubscriptionTerms | undefined {
  return /^0x0+$/.test(struct.provider) ? undefined : subscriptionTerms(struct)
}

/**
 * A count as a number. The admin can set limits as high as they like. Beyond what a number holds exactly they all
 * mean "no limit", and become the largest exact number.
 */
export function toCount(value: bigint): number {
  return value > BigInt(Number.MAX_SAFE_INTEGER) ? Number.MAX_SAFE_INTEGER : Number(value)
}

/**
 * The text that a token's `symbol()` or `name()` returns; `null` if it is no readable text.
 *
 * Tokens return a string, as the standard says, or 32 bytes, as older tokens do.
 * @param answer the raw answer, cut at 256 bytes; empty if the call failed
 */
export function tokenText(answer: Hex): string | null {
  const bytes = hexToBytes(answer)
  const content = size(answer) === 32 ? beforeFirstZero(bytes) : stringContent(bytes)
  if (content === undefined) return null
  try {
    const text = cleanText(new TextDecoder('utf-8', { fatal: true }).decode(content), MOST_CHARACTERS).trim()
    return text === '' ? null : text
  } catch {
    return null
  }
}

function beforeFirstZero(bytes: Uint8Array): Uint8Array {
  const end = bytes.indexOf(0)
  return end === -1 ? bytes : bytes.subarray(0, end)
}

function stringContent(bytes: Uint8Array): Uint8Array | undefined {
  const start = smallWord(bytes, 0)
  const length = start === undefined ? undefined : smallWord(bytes, start)
  if (start === undefined || length === undefined || start + 32 + length > bytes.length) return undefined
  return bytes.subarray(start + 32, start + 32 + length)
}

/** The value of a 32-byte word, if it can be an offset or a length in the answer. */
function smallWord(bytes: Uint8Array, at: number): number | undefined {
  const word = bytes.subarray(at, at + 32)
  if (word.length < 32 || word.subarray(0, 30).some((byte) => byte !== 0)) return undefined
  return (word[30] ?? 0) * 256 + (word[31] ?? 0)
}
