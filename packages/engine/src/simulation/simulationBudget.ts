// How much a simulation may ask of a node. Some nodes refuse by the gas that its calls ask for. Others share 25 to 50
// million gas among all calls of a request. simulateInOrder.ts stays within what a node is known to grant.

/**
 * Gas for an unknown call if the calls have to share the node's own limit: a remit() of 25 charges of a plain token
 * takes 1.2 million.
 */
export const UNKNOWN_CALL_GAS = 1_500_000n

/** Calls of remit() tried in a row. They walk most backlogs to the end, and show what no view of the contract shows. */
export const PROBED_CALLS = 8

/** The most calls, for a backlog whose rest cannot be computed. */
const MOST_PROBED_CALLS = 64

/** A charge makes about 3 KB of logs, and a node's answer may have 16 MB. */
const MOST_PROBED_CHARGES = 3_200

/** How often to call remit() if the rest of the backlog cannot be computed, with so many subscribers in each call. */
export function deeplyProbedCalls(maxRemits: number): number {
  const affordable = Math.floor(MOST_PROBED_CHARGES / Math.max(1, maxRemits))
  return Math.min(MOST_PROBED_CALLS, Math.max(PROBED_CALLS, affordable))
}

/**
 * Gas of one call of remit() on a chain without a cap for a transaction. Each call has its own limit, because one
 * that runs out of gas would otherwise leave none for the calls after it.
 */
export const REMIT_GAS = 2n ** 24n

/** More than any ordinary transfer takes. USDC takes some 60,000. */
export const TRANSFER_GAS = 250_000n

/** Transfers tried in a row. With plain tokens they use 25 million gas. */
export const MOST_TRIED_TRANSFERS = 400

/** Transfers tried one by one on a node that cannot simulate: as many as fit into one HTTP request. */
export const MOST_TRANSFERS_ALONE = 39

/** Gas of one step of a way out: leaving, cancelling, pausing. */
export const STEP_GAS = 1_000_000n

/** Gas that the calls of a batch ask for together at first. Every block has room for it. */
export const BATCH_GAS = 30_000_000n
