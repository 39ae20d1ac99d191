import type { Address, Hex } from 'viem'
import * as z from 'zod'

// The parts of the answers that this agent looks at. Before any of these sees an answer, the SDK has held it against the
// tool's output schema, which names its fields.

const AddressText = z.custom<Address>((value) => /^0x[\da-f]{40}$/i.test(String(value)))
const HexText = z.custom<Hex>((value) => /^0x([\da-f]{2})*$/i.test(String(value)))
const QuantityText = z.custom<Hex>((value) => /^0x[\da-f]+$/i.test(String(value)))
const Raw = z
  .string()
  .regex(/^-?\d+$/)
  .transform(BigInt)

const Quantity = z.object({ amount: z.string(), amountRaw: Raw, tokenDecimals: z.number() })
const Day = z.object({ dayNumber: z.number(), date: z.string() })
/** Of warnings and issues: a permanent code for programs, a sentence for people. */
const Note = z.looseObject({ code: z.string().optional(), message: z.string() })

const Subscription = Quantity.extend({
  id: HexText,
  provider: AddressText,
  token: z.object({ address: AddressText, symbol: z.string().nullable() }),
  frequency: z.number(),
  dueDay: z.number(),
  nextDue: Day.nullable(),
})

export type Subscription = z.output<typeof Subscription>

export const ProtocolState = z.object({ contractAddress: AddressText, chainId: z.number() })

export const ApprovedTokens = z.object({
  tokens: z.array(
    z.object({
      address: AddressText,
      symbol: z.string().nullable(),
      decimals: z.number(),
      paused: z.boolean(),
    }),
  ),
})

export const Found = z.object({ subscriptions: z.array(Subscription) })

/** Both texts are a stranger's. */
export const Details = z.object({
  details: z.object({ url: z.string(), description: z.string() }).nullable(),
})

export const Account = z.object({
  subscribedTo: z.array(
    z.object({
      subscription: Subscription,
      statusLabel: z.string(),
      allowanceCovers: z.object({ periods: z.number(), until: Day.nullable() }).nullable(),
    }),
  ),
  nextCursor: z.string().nullable(),
})

export const Activity = z.object({
  events: z.array(
    z.object({
      // null for an approval: it is of no one subscription.
      id: HexText.nullable(),
      eventName: z.string(),
      amount: z.string().nullable(),
      blockNumber: z.number(),
    }),
  ),
})

export const Readiness = z.object({
  ready: z.boolean(),
  issues: z.array(Note),
  warnings: z.array(Note),
  details: z.object({
    firstCharge: z.object({ toFeeBalance: Quantity, toProvider: Quantity }),
    nextDue: Day.nullable(),
    neededAllowance: Quantity,
    needsApproval: z.boolean(),
    coversUntil: Day.nullable(),
  }),
})

export const Prepared = z.object({
  warnings: z.array(Note),
  unsignedTransactions: z.array(
    z.object({
      to: AddressText,
      data: HexText,
      value: QuantityText,
      chainId: z.number(),
      from: AddressText,
    }),
  ),
  simulation: z.object({
    balanceChanges: z.array(
      z.object({ account: AddressText, token: z.object({ address: AddressText }), amountRaw: Raw }),
    ),
  }),
})

export type Prepared = z.output<typeof Prepared>

export const Status = z.object({
  status: z.enum(['pending', 'success', 'reverted', 'replaced', 'unknown']),
  blockNumber: z.number().nullable(),
  reason: z.object({ message: z.string() }).nullable(),
  events: z.array(z.looseObject({ eventName: z.string().optional(), amount: z.string().optional() })),
})
