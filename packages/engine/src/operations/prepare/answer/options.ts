import { DEFAULT_APPROVAL_PERIODS, MOST_APPROVAL_PERIODS } from '@remit/protocol/allowance'
import * as z from 'zod'
import { Address } from '../../../schema/address.ts'

/** What every prepare takes. */
export const anyPrepare = {
  from: Address.describe('Who will sign and send. Every proof runs from this address.'),
  readinessOnly: z
    .boolean()
    .optional()
    .describe('true: tell only whether it can be done; no transactions, no gas estimates.'),
  simulateFromAddress: Address.optional().describe(
    'Estimate gas from this address, if another wallet than the signer broadcasts.',
  ),
}

/** The options of every prepare. */
export const prepareOptions = {
  ...anyPrepare,
  infiniteApproval: z
    .literal(false, 'can be true only where a token is approved')
    .optional()
    .describe('Only subscribing and extending coverage approve anything; here it may only be false.'),
  keepCoverage: z
    .literal(false, 'can be true only where a subscription is subscribed to')
    .optional()
    .describe('Only subscribing approves anything; here it may only be false.'),
}

/** How much subscribing approves. */
const approval = {
  infiniteApproval: z
    .boolean()
    .optional()
    .describe('true: approve the maximum (2^256 - 1) instead of what the periods need.'),
  approvalPeriods: z
    .int()
    .min(1)
    .max(MOST_APPROVAL_PERIODS)
    .optional()
    .describe(
      `How many charges of this subscription the allowance must cover. Default ${DEFAULT_APPROVAL_PERIODS}.`,
    ),
  keepCoverage: z
    .boolean()
    .optional()
    .describe(
      'true: approve so much more that the wallet’s other subscriptions in the token stay covered as long as ' +
        'now, up to a hundred years ahead. Not together with infiniteApproval.',
    ),
}

/** The options of a prepare that approves a token. */
export const approvalOptions = { ...anyPrepare, ...approval }

/** The options of a prepare that extends the coverage of what a wallet subscribes to. */
export const extensionOptions = {
  ...anyPrepare,
  infiniteApproval: approval.infiniteApproval,
  approvalPeriods: approval.approvalPeriods.describe(
    'For how many charges of each of them the allowance is to last. Default ' +
      `${DEFAULT_APPROVAL_PERIODS}.`,
  ),
  keepCoverage: z
    .boolean()
    .optional()
    .describe(
      'true: approve so much more that each of them stays covered as long as now. A larger allowance alone can end one ' +
        'sooner: it lets another one go on that was to be dropped, and both draw on it.',
    ),
}

/** What a check before such a prepare takes. */
export const approvalCheckOptions = {
  from: Address.describe('Who would subscribe.'),
  ...approval,
}

/** Refuses keepCoverage beside infiniteApproval, because an infinite approval keeps everything anyway. */
export function checkApprovalWish(
  {
    infiniteApproval,
    keepCoverage,
  }: { infiniteApproval?: boolean | undefined; keepCoverage?: boolean | undefined },
  context: z.RefinementCtx,
): void {
  if (!infiniteApproval || !keepCoverage) return
  const message = 'must not be true together with infiniteApproval, which lasts without end anyway'
  context.addIssue({ code: 'custom', path: ['keepCoverage'], message })
}
