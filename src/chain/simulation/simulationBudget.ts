// What simulations may ask of a node. Some nodes refuse a simulation by the gas that its calls ask for, others
// share one pool of 25 to 50 million gas among all calls of a request.

/** Calls of remit() tried in a row: they walk most backlogs to their end, and tell what the contract has no view for. */
export const PROBED_CALLS = 8

/** The most calls where nothing can be reckoned behind them. */
const MOST_PROBED_CALLS = 64

/** A charge is some 3 KB of logs, and a node's answer may have 16 MB. */
const MOST_PROBED_CHARGES = 3_200

/** How often to call where nothing can be reckoned, with pages of so many subscribers. */
export function deeplyProbedCalls(maxRemits: number): number {
  const affordable = Math.floor(MOST_PROBED_CHARGES / Math.max(1, maxRemits))
  return Math.min(MOST_PROBED_CALLS, Math.max(PROBED_CALLS, affordable))
}

/**
 * Gas of one call of remit() where the chain has no cap for a transaction. A bound of its own for each call,
 * because one that runs out of gas would otherwise leave none to the calls behind it.
 */
export const REMIT_GAS = 2n ** 24n

/** No sane transfer takes more. USDC takes some 60,000. */
export const TRANSFER_GAS = 250_000n

/** Transfers tried in a row: of plain tokens they use 25 million gas. A few hundred days of a few payers each. */
export const MOST_TRIED_TRANSFERS = 400

/** Tried where the node refuses so many: they ask for 25 million gas in all. */
export const FEWER_TRIED_TRANSFERS = 100

/** Transfers asked for one by one, where a node cannot simulate: as many as go into one HTTP request. */
export const MOST_TRANSFERS_ALONE = 39

/** Gas of one step of a way out: leaving, cancelling, pausing. */
export const STEP_GAS = 1_000_000n

/** Gas that the calls of a batch ask for together, at first: every block has room for it. */
export const BATCH_GAS = 30_000_000n
