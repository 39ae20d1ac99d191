import { z } from 'zod'

/** An argument or a decoded value as the recordings write it: names for addresses, strings for large integers. */
export type Recorded = z.infer<ReturnType<typeof z.json>>

const Log = z.strictObject({
  in: z.string(),
  event: z.string(),
  args: z.record(z.string(), z.json()),
})
export type RecordedLog = z.infer<typeof Log>

const call = {
  at: z.int(),
  from: z.string(),
  in: z.string(),
  call: z.string(),
  args: z.array(z.json()),
}

/** One call: the block's timestamp, who called what, and what came of it. A call that reverts was never sent. */
const Step = z.discriminatedUnion('status', [
  z.strictObject({ ...call, status: z.literal('ok'), logs: z.array(Log) }),
  z.strictObject({ ...call, status: z.literal('revert'), reason: z.string() }),
])
export type Step = z.infer<typeof Step>

/** All views at one moment. A view that reverts is `{ revert: reason }` in the place of its value. */
const Snapshot = z.strictObject({
  nextUncheckedDay: z.json(),
  totalSubscribers: z.json(),
  maxRemits: z.json(),
  callerFee: z.json(),
  systemFee: z.json(),
  subscriptions: z.record(
    z.string(),
    z.strictObject({ record: z.json(), subscribers: z.json(), unsubscribedLength: z.json() }),
  ),
  accounts: z.record(z.string(), z.strictObject({ subscribed: z.json(), created: z.json() })),
  balances: z.record(z.string(), z.record(z.string(), z.json())),
  due: z.record(z.string(), z.json()),
})
export type Snapshot = z.infer<typeof Snapshot>

/**
 * A recorded life of the deployed protocol: seeded random calls over some months, each with its outcome.
 *
 * Strict on purpose: a field that the replay does not know would be one that it does not compare.
 */
export const Life = z.strictObject({
  about: z.string(),
  seed: z.number(),
  constructor: z.strictObject({
    callerFee: z.string(),
    systemFee: z.string(),
    maxRemits: z.string(),
    cancelLimit: z.string(),
    allowSystemFee: z.boolean(),
  }),
  deployedAt: z.int(),
  accounts: z.record(z.string(), z.string()),
  tokens: z.array(z.strictObject({ alias: z.string(), decimals: z.int(), minimum: z.string() })),
  setup: z.array(Step),
  steps: z.array(Step),
  /** By the index of the step that each was taken after. */
  snapshots: z.record(z.string(), Snapshot),
})
export type Life = z.infer<typeof Life>
