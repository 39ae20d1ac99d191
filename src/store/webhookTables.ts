/** Where events are sent. */
export interface WebhookEndpointsTable {
  id: string
  subject_id: string
  url: string
  description: string | null
  /** `null` for all chains. */
  chain_id: number | null
  /** JSON: a list of event types; `null` for all. */
  types: string | null
  subscription_id: string | null
  provider: string | null
  account: string | null
  finality: string
  /** JSON: for each chain the sequence and the block that it begins after. */
  begins: string
  /** Sealed, like the next one. */
  secret: string
  /** The secret before the last rotation. It signs too, until its end. */
  old_secret: string | null
  /** Unix milliseconds, like the next four. */
  old_secret_until: number | null
  created_at: number
  /** `null` while it is active. */
  paused_at: number | null
  /** `owner`, `gone` or `failing`. */
  paused_reason: string | null
  delivered_at: number | null
  /** The first failure since the last delivery. */
  failing_since: number | null
  /** Failures since the last delivery. */
  failures: number
  /** Which part of the deliverers' work it is. */
  shard: number
  /** When it is looked at next; `null` while nothing waits. */
  due_at: number | null
}

/** What is, or was, to be delivered. */
export interface WebhookDeliveriesTable {
  endpoint_id: string
  chain_id: number
  /** The event's place in the log. */
  sequence: number
  event_id: string
  type: string
  /** Deliveries of one queue are sent one after the other. */
  queue: string
  /** The event as JSON, the same for each attempt. */
  body: string
  /** 0 it waits, 1 it was delivered, 2 it was given up. */
  state: number
  /** 1 where it was asked for again. It then waits for nothing. */
  again: number
  /** Unix milliseconds, like all times here. */
  created_at: number
  /** Not before this time. */
  next_at: number
  attempts: number
  first_attempt_at: number | null
  attempted_at: number | null
  duration_ms: number | null
  status: number | null
  /** The beginning of the answer. */
  answer: string | null
  /** Why no answer came. */
  failure: string | null
}

/** How far the log of each chain has been handed out. */
export interface WebhookCursorsTable {
  chain_id: number
  finality: string
  sequence: number
}

/** Endpoints that are fed from the log on their own: those that were paused or are far behind, and what is sent again. */
export interface WebhookFeedsTable {
  endpoint_id: string
  chain_id: number
  /** 1 where events are sent again. */
  again: number
  /** What was read last. */
  sequence: number
  /** Where it ends; `null` where it ends with what all endpoints have been given. */
  until_sequence: number | null
}

/** Who does which part of the work. */
export interface WebhookLeasesTable {
  name: string
  holder: string | null
  /** Unix milliseconds of the store's clock. */
  lease_until: number
}

/** One row. Who changes endpoints, and who hands out events, locks it. */
export interface WebhookServiceTable {
  id: number
  /** Grows with each change of an endpoint. */
  version: number
  /** Sealed. */
  private_key: string | null
  public_key: string | null
}
