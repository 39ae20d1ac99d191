import type { Address as ChecksummedAddress } from 'viem'
import * as z from 'zod'
import type { LastingToken } from '../core/ports/chainReads.ts'
import type { HistoryEvent as EventOfIndex } from '../core/ports/history.ts'
import { SUBSCRIPT_EVENTS, subscriptEventName } from '../protocol/logs/subscriptEvent.ts'
import { Address } from '../schema/address.ts'
import { amountFields, type Quantity, TokenDecimals } from '../schema/amount.ts'
import { SubscriptionId } from '../schema/hash.ts'
import { Token } from '../schema/token.ts'
import { logPlaceFields, toLogPlace } from './logPlace.ts'
import { protocolQuantity, toToken } from './token.ts'

/** What the log's amount means, by the event's name. */
const AMOUNT_MEANINGS = SUBSCRIPT_EVENTS.map(({ name, amountMeans }) => `${name}: ${amountMeans}`).join(' ')

/**
 * The contract's janitor may log any provider, token and amount (docs/protocol.md). The answer states them as logged.
 * If the contract has no entry for the token, its decimals are unknown, and so is the human amount.
 */
const UNKNOWN = 'null where the log names a token that the protocol has not approved.'

/** One SubLog, as it was logged. */
export const HistoryEvent = z
  .object({
    id: SubscriptionId,
    provider: Address.describe('As the log states it.'),
    subscriber: Address.nullable().describe('null where the event has none: Created and Cancelled.'),
    token: Token.extend({ decimals: TokenDecimals.nullable().describe(UNKNOWN) }),
    eventName: z
      .enum(SUBSCRIPT_EVENTS.map(({ name }) => name))
      .describe(`What happened. It decides what \`amount\` means. ${AMOUNT_MEANINGS}`),
    subScriptEvent: z.int().min(0).max(9).describe('The event’s number in the contract.'),
    amount: amountFields.amount
      .nullable()
      .describe(`What the log states, exact, in human units: see eventName. ${UNKNOWN}`),
    amountRaw: amountFields.amountRaw
      .nullable()
      .describe(`The same amount in the token's smallest unit. ${UNKNOWN}`),
    tokenDecimals: TokenDecimals.nullable().describe(UNKNOWN),
    formattedAmount: z
      .string()
      .nullable()
      .describe(
        `Amount and symbol, such as "10.5 USDC"; the token’s address where it has no symbol. ${UNKNOWN}`,
      ),
    ...logPlaceFields,
  })
  .meta({ id: 'HistoryEvent' })

/** The tokens that the events' amounts are in, each once. */
export function tokensOf(events: readonly Pick<EventOfIndex, 'token'>[]): ChecksummedAddress[] {
  return [...new Set(events.map(({ token }) => token))]
}

/** @param tokens those of the events' tokens that the protocol has approved */
export function toHistoryEvent(
  event: EventOfIndex,
  tokens: ReadonlyMap<ChecksummedAddress, LastingToken>,
): z.output<typeof HistoryEvent> {
  const { subscriptionId: id, provider, subscriber, subScriptEvent } = event
  const facts = { id, provider, subscriber, eventName: subscriptEventName(subScriptEvent), subScriptEvent }
  const known = tokens.get(event.token)
  const stated = known && protocolQuantity(event.amount, known)
  return { ...facts, ...money(event.token, known, stated), ...toLogPlace(event) }
}

/** The fields of an amount, as logged. @param quantity absent where the token is not known */
export function money(
  token: ChecksummedAddress,
  known: LastingToken | undefined,
  quantity: Quantity | undefined,
) {
  if (known === undefined || quantity === undefined) {
    const nothing = { amount: null, amountRaw: null, tokenDecimals: null, formattedAmount: null }
    return { token: { address: token, symbol: null, name: null, decimals: null }, ...nothing }
  }
  const formattedAmount = `${quantity.amount} ${known.symbol ?? known.address}`
  return { token: toToken(known), ...quantity, formattedAmount }
}

/** One event in one line. */
export function eventText(
  event: Omit<z.output<typeof HistoryEvent>, 'id' | 'provider' | 'eventName' | 'subScriptEvent'> & {
    readonly eventName: string
  },
): string {
  const { formattedTimestamp, eventName, formattedAmount, subscriber, transactionHash, finalized } = event
  const who = subscriber === null ? '' : ` subscriber ${subscriber}`
  const final = finalized ? '' : ', not final yet'
  return `${formattedTimestamp} ${eventName} ${formattedAmount ?? ''}${who}, transaction ${transactionHash}${final}`
}
