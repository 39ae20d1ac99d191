import { MOST_REQUESTS } from '../rpc/BatchSender.ts'

// How much a simulation may ask of a node. Some nodes refuse by the gas that its calls ask for. Others share 25 to 50
// million gas among all calls of a request. simulateInOrder.ts stays within what a node is known to grant.

/**
 * Gas that is set aside for a call whose cost nobody has seen yet. Used only where the node makes all calls of a request
 * share its own limit; elsewhere each call has a limit of its own, such as REMIT_GAS. A remit() of 25 charges of a plain
 * token takes 1.2 million.
 */
export const UNKNOWN_CALL_GAS = 1_500_000n

/**
 * Calls of remit() tried in a row. They walk most backlogs to the end, and show what no view of the contract tells: where
 * within a day remit has stopped, and which tokens refuse.
 */
export const PROBED_CALLS = 8

/** The most calls of remit() in a row, where the protocol's rules alone cannot say how the backlog ends. */
const MOST_PROBED_CALLS = 64

/** A charge makes about 3 KB of logs, so these are 10 MB. A node's answer may have 16 MB. */
const MOST_PROBED_CHARGES = 3_200

/**
 * How often to call remit() where the protocol's rules alone cannot say how the backlog ends.
 * @param subscribersPerCall how many subscribers one remit() charges at most: the contract's `maxRemits`
 */
export function deeplyProbedCalls(subscribersPerCall: number): number {
  const affordable = Math.floor(MOST_PROBED_CHARGES / Math.max(1, subscribersPerCall))
  return Math.min(MOST_PROBED_CALLS, Math.max(PROBED_CALLS, affordable))
}

/**
 * Gas of one call of remit() on a chain without a cap for a transaction. Each call has its own limit, because one
 * that runs out of gas would otherwise leave none for the calls after it.
 */
export const REMIT_GAS = 2n ** 24n

/** More than any ordinary transfer takes. USDC takes some 60,000. */
export const TRANSFER_GAS = 250_000n

/** Transfers tried in a row. They may ask for 100 million gas; of plain tokens they use 25 million. */
export const MOST_TRIED_TRANSFERS = 400

/** Transfers tried one by one on a node that cannot simulate: as many as fit into one HTTP request, with the view's block. */
export const MOST_TRANSFERS_ALONE = MOST_REQUESTS - 1

/** Gas of one step of a way out: leaving, cancelling, pausing. */
export const STEP_GAS = 1_000_000n

/**
 * Gas that the calls of a batch ask for together in the first try. Every block has room for it. A batch that runs out of it
 * is tried again with more.
 */
export const BATCH_GAS = 30_000_000n
