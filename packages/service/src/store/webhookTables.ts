/** One row for each webhook: where events are sent, which ones, and how that goes. */
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
  /** Unix milliseconds of the store's clock: when it is looked at next, or when its claim ends; `null` while nothing waits. */
  due_at: number | null
  /** Since when something waits for a process that sends it, without the time that the receiver took. */
  waits_since: number | null
  /** Counts the claims. Only the last one writes. */
  turn: number
  /** 1 while a turn has it. If its process is killed, the next turn begins at `due_at`. */
  claimed: number
  /** 1 if there may be more to send than the turn that has it has read. */
  woken: number
  /** The version of all endpoints when this one was made or changed what it hears. */
  version: number
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
  /** The earliest time of the next attempt, which is the same for all that wait in a queue. */
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

/**
 * The cursors of an endpoint over the log of a chain. Every event that it hears up to its main cursor has a row,
 * except later events of queues with a cursor of their own. Without a main cursor the endpoint stands where the router does.
 */
export interface WebhookLanesTable {
  endpoint_id: string
  chain_id: number
  /** `''` for the main cursor, `since` for what its owner wants once more, or the queue that is late. */
  queue: string
  /** What it hears up to here has rows. */
  sequence: number
  /** Where the cursor of `since` ends; `null` for the others. */
  until_sequence: number | null
}

/** How far endpoints have been woken for the log of a chain. They read no further. */
export interface WebhookRoutesTable {
  chain_id: number
  finality: string
  sequence: number
  /** The version of the endpoints that were looked through. Those of a later version read for themselves. */
  version: number
}

/** Which processes deliver. */
export interface WebhookDeliverersTable {
  name: string
  /** Unix milliseconds of the store's clock. */
  alive_until: number
}

/** One row: the key that signs, and a count. */
export interface WebhookServiceTable {
  id: number
  /** Grows with each change of what endpoints hear. */
  version: number
  /** Sealed. */
  private_key: string | null
  public_key: string | null
}
