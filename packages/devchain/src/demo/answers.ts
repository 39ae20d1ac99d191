import { type Address, type Hex, isAddress, isHex } from 'viem'
import * as z from 'zod'

// What the demo reads from each answer. Written by hand on purpose, as a client without this repository would.

const hex = z.custom<Hex>((value) => isHex(value))
const address = z.custom<Address>((value) => typeof value === 'string' && isAddress(value))
const quantity = z.object({ amount: z.string(), amountRaw: z.string(), tokenDecimals: z.number() })
const asOf = z.object({ blockNumber: z.number(), timestamp: z.number() })

export const Catalog = z.object({
  chainId: z.number(),
  chains: z.array(z.object({ chainId: z.number(), name: z.string() })),
  routes: z.array(z.object({ path: z.string() })),
})

export const ProtocolState = z.object({
  contractAddress: address,
  nextUncheckedDay: z.object({ dayNumber: z.number() }),
  currentDay: z.object({ dayNumber: z.number(), date: z.string() }),
  asOf,
})

export const ApprovedTokens = z.object({
  tokens: z.array(
    z.object({ address, symbol: z.string().nullable(), decimals: z.number(), paused: z.boolean() }),
  ),
})

export const Prepared = z.object({
  unsignedTransactions: z.array(
    z.object({ to: address, data: hex, value: hex, chainId: z.number(), from: address }),
  ),
  signingMode: z.enum(['raw', 'eip5792']),
  instructions: z.array(z.string()),
  simulation: z.object({ success: z.literal(true), calls: z.array(z.object({ gasUsed: z.string() })) }),
  gasEstimates: z.array(
    z.object({ gasLimit: z.string(), maxFeePerGas: z.string(), maxPriorityFeePerGas: z.string() }),
  ),
})

export type Prepared = z.output<typeof Prepared>

export const SubscribePrepared = Prepared.extend({
  preflight: z.object({
    needsApproval: z.boolean(),
    allowance: z.object({ current: quantity, proposed: quantity }),
    firstCharge: z.object({ toFeeBalance: quantity, toProvider: quantity }),
  }),
})

export const RemitPrepared = Prepared.extend({
  preflight: z.object({ expectedTransactions: z.number() }),
})

export const Status = z.object({
  status: z.enum(['pending', 'success', 'reverted', 'replaced', 'unknown']),
  confirmed: z.boolean(),
  blockNumber: z.number().nullable(),
  gasUsed: z.string().nullable(),
  createdSubscriptionId: hex.nullable(),
  events: z.array(
    z.object({
      event: z.string().nullable(),
      eventName: z.string().optional(),
      amount: z.string().optional(),
      args: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])),
    }),
  ),
})

export type Status = z.output<typeof Status>

export const SubscriptionAnswer = z.object({
  subscription: z.object({
    id: hex,
    provider: address,
    cancelled: z.boolean(),
    amount: z.string(),
    nextDue: z.object({ date: z.string(), dayNumber: z.number() }).nullable(),
  }),
})

export const FeeBalance = z.object({ feeBalance: z.object({ amount: z.string(), amountRaw: z.string() }) })

export const AccountAnswer = z.object({
  subscribedTo: z.array(
    z.object({
      subscription: z.object({ id: hex }),
      statusLabel: z.string(),
      allowanceCovers: z.object({ periods: z.number() }).nullable(),
    }),
  ),
})

const HistoryEvent = z.object({
  id: hex,
  subscriber: address.nullable(),
  eventName: z.string(),
  formattedAmount: z.string().nullable(),
  formattedTimestamp: z.string(),
  blockNumber: z.number(),
  transactionHash: hex,
})

export type HistoryEvent = z.output<typeof HistoryEvent>

export const History = z.object({
  events: z.array(HistoryEvent),
  hasMore: z.boolean(),
  nextCursor: z.string().nullable(),
  error: z.string().optional(),
})

export const Activity = History.extend({
  events: z.array(z.object({ eventName: z.string() })),
  breakdown: z.object({ asSubscriber: z.number(), asProvider: z.number() }),
})

export const Details = z.object({
  details: z.object({ url: z.string(), description: z.string() }).nullable(),
})

export const Found = z.object({
  subscriptions: z.array(z.object({ id: hex })),
  hasMore: z.boolean(),
})

export const Subscribers = z.object({ subscribers: z.array(z.object({ subscriber: address })) })
