import type { Address as ChecksummedAddress } from 'viem'
import { maxUint256 } from 'viem'
import * as z from 'zod'
import type { LastingToken } from '../core/ports/chainReads.ts'
import type { ActivityEvent as EventOfIndex } from '../core/ports/history.ts'
import { Address } from '../schema/address.ts'
import { SubscriptionId } from '../schema/hash.ts'
import { HistoryEvent, money, toHistoryEvent } from './historyEvent.ts'
import { toLogPlace } from './logPlace.ts'
import { quantity } from './token.ts'

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
  event: EventOfIndex,
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
