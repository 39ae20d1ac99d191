import { SUBSCRIPT_EVENTS, subscriptEventName } from '@remit/protocol/logs/events'
import { type Address as ChecksummedAddress, maxUint256 } from 'viem'
import * as z from 'zod'
import type { LastingToken } from '../ports/chainReads.ts'
import type {
  ActivityEvent as ActivityOfIndex,
  HistoryEvent as EventOfIndex,
  Page,
} from '../ports/history.ts'
import { amountFields, type Quantity, Token, TokenDecimals } from '../schema/amount.ts'
import { Address, SubscriptionId } from '../schema/hex.ts'
import type { PageLimits } from '../schema/page.ts'
import { logPlaceFields, toLogPlace } from './payment.ts'
import { protocolQuantity, quantity, toToken } from './token.ts'

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

/** @param tokens of the events, by address: those that the protocol has approved */
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

/** The fields of an amount, as logged. @param stated absent where the token is not known */
function money(token: ChecksummedAddress, known: LastingToken | undefined, stated: Quantity | undefined) {
  if (known === undefined || stated === undefined) {
    const nothing = { amount: null, amountRaw: null, tokenDecimals: null, formattedAmount: null }
    return { token: { address: token, symbol: null, name: null, decimals: null }, ...nothing }
  }
  const formattedAmount = `${stated.amount} ${known.symbol ?? known.address}`
  return { token: toToken(known), ...stated, formattedAmount }
}

export function historyEventText(
  event: Omit<z.output<typeof HistoryEvent>, 'id' | 'provider' | 'eventName' | 'subScriptEvent'> & {
    readonly eventName: string
  },
): string {
  const { formattedTimestamp, eventName, formattedAmount, subscriber, transactionHash, finalized } = event
  const who = subscriber === null ? '' : ` subscriber ${subscriber}`
  const final = finalized ? '' : ', not final yet'
  return `${formattedTimestamp} ${eventName} ${formattedAmount ?? ''}${who}, transaction ${transactionHash}${final}`
}

/** The name of an Approval log among the contract's events. */
const APPROVAL = 'APPROVAL'

const NONE = `null for ${APPROVAL}`
const named = HistoryEvent.shape

/** One event of an account: a SubLog, or an Approval log of a token with the contract as spender. */
export const ActivityEvent = HistoryEvent.extend({
  id: SubscriptionId.nullable().describe(
    `The subscription. ${NONE}: an allowance is shared by all subscriptions in its token.`,
  ),
  provider: Address.nullable().describe(`As the log states it. ${NONE}.`),
  eventName: z
    .enum([...named.eventName.options, APPROVAL])
    .describe(
      `${named.eventName.description ?? ''} ${APPROVAL}: The allowance of the contract from then on, in that token, given by ` +
        '`subscriber`; 2^256 - 1, "unlimited" in `formattedAmount`, is never used up with most tokens. Nothing moved. What ' +
        'charges take from an allowance is not logged.',
    ),
  subScriptEvent: named.subScriptEvent.nullable().describe(`The event’s number in the contract. ${NONE}.`),
  roles: z.array(z.enum(['subscriber', 'provider'])).describe('The account’s part in this event.'),
}).meta({ id: 'ActivityEvent' })

/** @param tokens those of the events' tokens that the protocol has approved */
export function toActivityEvent(
  event: ActivityOfIndex,
  tokens: ReadonlyMap<ChecksummedAddress, LastingToken>,
): z.output<typeof ActivityEvent> {
  const roles = [...event.roles]
  if (!('owner' in event)) return { ...toHistoryEvent(event, tokens), roles }
  const known = tokens.get(event.token)
  const stated = money(event.token, known, known && quantity(event.allowanceRaw, known))
  const isUnlimited = known !== undefined && event.allowanceRaw === maxUint256
  return {
    id: null,
    provider: null,
    subscriber: event.owner,
    eventName: APPROVAL,
    subScriptEvent: null,
    ...stated,
    formattedAmount: isUnlimited ? `unlimited ${known.symbol ?? known.address}` : stated.formattedAmount,
    ...toLogPlace(event),
    roles,
  }
}

/** How many rows a page of history has. */
export const HISTORY_PAGE: PageLimits = { default: 25, max: 100 }

/** The empty page, where the index cannot be read. */
export const NO_ROWS: Page<never> = { rows: [], hasMore: false, nextCursor: null }
