import { DEFAULT_APPROVAL_PERIODS, MOST_APPROVAL_PERIODS } from '@remit/protocol/allowance'
import * as z from 'zod'
import { ValidationError } from '../../../errors/input.ts'
import type { ChainView } from '../../../ports/chains.ts'
import { Address } from '../../../schema/hex.ts'
import { PlainText, parseUrl } from '../../../schema/text.ts'

/** A paymaster's URL as it may stand in any request. Whether the chain allows http is for `assertPaymaster` to say. */
const PaymasterUrl = PlainText.max(2048, 'must have 2048 characters at most').refine(
  isPaymasterUrl,
  'must be an https:// URL without a user and without a part after #',
)

function isPaymasterUrl(text: string): boolean {
  const url = parseUrl(text)
  if (url === undefined || /\s/.test(text)) return false
  const isBare = url.username === '' && url.password === '' && !text.includes('#')
  return isBare && (url.protocol === 'https:' || isOnThisMachine(url))
}

function isOnThisMachine({ protocol, hostname }: URL): boolean {
  return protocol === 'http:' && /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname)
}

/** The options that all prepares have in common. The sets below add to them. */
export const anyPrepare = {
  from: Address.describe('Who will sign and send.'),
  readinessOnly: z
    .boolean()
    .optional()
    .describe('true: tell only whether it can be done; no transactions, no gas estimates.'),
  simulateFromAddress: Address.optional().describe(
    'Estimate gas from this address, if another wallet than the signer broadcasts.',
  ),
  paymasterUrl: PaymasterUrl.optional().describe(
    'An ERC-7677 paymaster that the wallet may ask to pay the network’s fee. Never asked here.',
  ),
}

/** Throws ValidationError for a paymaster over http where the chain is not for development. */
export function assertPaymaster(
  { paymasterUrl }: { readonly paymasterUrl?: string | undefined },
  { isDevChain }: Pick<ChainView, 'isDevChain'>,
): void {
  if (paymasterUrl === undefined || isDevChain || parseUrl(paymasterUrl)?.protocol === 'https:') return
  throw ValidationError.of('paymasterUrl', 'must begin with https:// on this chain')
}

/** The options of a prepare that approves nothing. It knows those of approvals too, as false, so that they may stand in any call. */
export const prepareOptions = {
  ...anyPrepare,
  infiniteApproval: z
    .literal(false, 'can be true only where a token is approved')
    .optional()
    .describe('Only subscribing and extending coverage approve anything; here it may only be false.'),
  keepCoverage: z
    .literal(false, 'can be true only where a subscription is subscribed to')
    .optional()
    .describe('An option of subscribing alone; here it may only be false.'),
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

/** The options of subscribing, which approves its token. */
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

/** What the check before subscribing takes. */
export const approvalCheckOptions = {
  from: Address.describe('Who would subscribe.'),
  ...approval,
}

/** Refuses keepCoverage beside infiniteApproval, because an infinite approval keeps everything anyway. */
export function checkApprovalWish(
  wish: { infiniteApproval?: boolean | undefined; keepCoverage?: boolean | undefined },
  context: z.RefinementCtx,
): void {
  if (!wish.infiniteApproval || !wish.keepCoverage) return
  const message = 'must not be true together with infiniteApproval, which lasts without end anyway'
  context.addIssue({ code: 'custom', path: ['keepCoverage'], message })
}
