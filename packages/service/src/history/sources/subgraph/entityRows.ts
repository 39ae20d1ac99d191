import type { PlacedEvent } from '@remit/engine/ports/source'
import { Address } from '@remit/engine/schema/address'
import { SubscriptionId, TransactionHash } from '@remit/engine/schema/hash'
import { Uint256 } from '@remit/engine/schema/numbers'
import { MAX_DETAILS_LENGTH, subscriptEventName } from '@remit/protocol/logs/events'
import { cleanText } from '@remit/protocol/text'
import type { Hex } from 'viem'
import { zeroAddress } from 'viem'
import * as z from 'zod'

/** An entity of the subgraph, with the id by which it is paged. */
export interface EntityRow {
  readonly id: Hex
  readonly placed: PlacedEvent
}

/**
 * The index of a log in its block, from an entity's id: the transaction's hash, then the index as four bytes, the
 * least significant first (`concatI32` of graph-ts). `undefined` if the id has another form.
 */
export function logIndexOf(id: Hex, transactionHash: Hex): number | undefined {
  if (!/^0x[0-9a-f]{72}$/.test(id) || !id.startsWith(transactionHash)) return undefined
  const index = Buffer.from(id.slice(66), 'hex').readInt32LE()
  return index < 0 ? undefined : index
}

const EntityId = z
  .string()
  .regex(/^0x([0-9a-fA-F]{2}){1,64}$/)
  .transform((text): Hex => `0x${text.slice(2).toLowerCase()}`)

/** GraphQL sends BigInt as decimal text. These values are small enough for a number. */
const SmallBigInt = z
  .string()
  .regex(/^\d{1,15}$/)
  .transform(Number)

const Uint40 = SmallBigInt.refine((value) => value < 2 ** 40)

const ChainText = z.string().transform((text) => cleanText(text, MAX_DETAILS_LENGTH))

const place = { id: EntityId, blockNumber: SmallBigInt, transactionHash: TransactionHash }

type Placed = { id: Hex; blockNumber: number; transactionHash: Hex }

function placed(row: Placed, event: PlacedEvent['event'], context: z.RefinementCtx): EntityRow {
  const { id, blockNumber, transactionHash } = row
  const logIndex = logIndexOf(id, transactionHash)
  if (logIndex === undefined) {
    context.addIssue({ code: 'custom', path: ['id'], message: 'is not the transaction hash and a log index' })
    return z.NEVER
  }
  return { id, placed: { event, blockNumber, logIndex, transactionHash } }
}

const SubLogRow = z
  .object({
    ...place,
    internal_id: SubscriptionId,
    provider: Address,
    subscriber: Address,
    timestamp: Uint40,
    amount: Uint256,
    token: Address,
    subScriptEvent: z.int().min(0).max(9),
  })
  .transform((row, context) => {
    const { internal_id: id, subscriber, subScriptEvent, provider, timestamp, amount, token } = row
    const event = {
      type: 'SubLog',
      id,
      provider,
      timestamp,
      amount,
      token,
      eventName: subscriptEventName(subScriptEvent),
      subScriptEvent,
      subscriber: subscriber === zeroAddress ? undefined : subscriber,
    } as const
    return placed(row, event, context)
  })

const DetailsLogRow = z
  .object({
    ...place,
    internal_id: SubscriptionId,
    provider: Address,
    timestamp: Uint40,
    url: ChainText,
    description: ChainText,
  })
  .transform((row, context) => {
    const { internal_id: id, provider, timestamp, url, description } = row
    return placed(row, { type: 'DetailsLog', id, provider, timestamp, url, description }, context)
  })

const ProvDetailsLogRow = z
  .object({
    ...place,
    provider: Address,
    timestamp: Uint40,
    description: ChainText,
    company: ChainText,
    url: ChainText,
    domain: ChainText,
    email: ChainText,
    misc: ChainText,
  })
  .transform((row, context) => {
    const { id, blockNumber, transactionHash, ...rest } = row
    return placed({ id, blockNumber, transactionHash }, { type: 'ProvDetailsLog', ...rest }, context)
  })

const CallerLogRow = z
  .object({ ...place, timestamp: Uint40, checkedDay: Uint40, caller: Address, isFinished: z.boolean() })
  .transform((row, context) => {
    const { timestamp, checkedDay, caller, isFinished } = row
    return placed(row, { type: 'CallerLog', timestamp, checkedDay, caller, isFinished }, context)
  })

interface Entity {
  readonly fields: string
  readonly row: z.ZodType<EntityRow>
}

const PLACE_FIELDS = 'id blockNumber transactionHash'

/** The entities that the index keeps, by the name of their list in GraphQL. */
export const ENTITIES = {
  subLogs: {
    fields: `${PLACE_FIELDS} internal_id provider subscriber timestamp amount token subScriptEvent`,
    row: SubLogRow,
  },
  detailsLogs: {
    fields: `${PLACE_FIELDS} internal_id provider timestamp url description`,
    row: DetailsLogRow,
  },
  provDetailsLogs: {
    fields: `${PLACE_FIELDS} provider timestamp description company url domain email misc`,
    row: ProvDetailsLogRow,
  },
  callerLogs: {
    fields: `${PLACE_FIELDS} timestamp checkedDay caller isFinished`,
    row: CallerLogRow,
  },
} as const satisfies Record<string, Entity>

export type ListName = keyof typeof ENTITIES
