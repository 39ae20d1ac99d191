import type * as z from 'zod'
import { defineOperation } from '../../../declare/operation.ts'
import { amountText, dayText } from '../../../presentation/subscriptionText.ts'
import { bothForms, prepareBothForms, readinessLines } from '../answer/definePrepare.ts'
import { approvalCheckOptions, approvalOptions, checkApprovalWish } from '../answer/options.ts'
import { type AnyReadiness, answerReadiness, readinessAnswer } from '../answer/prepareAnswer.ts'
import { checkPermitWish, permitErrors, permitOptions } from '../permit/permitWish.ts'
import { planSubscribe, SubscribePreflight, SubscribeReadiness, subscribeSteps } from './planSubscribe.ts'

/** Prepares subscribing: an approval that lasts, where one is needed, and the subscription itself. */
export const prepareSubscribe = prepareBothForms(
  {
    name: 'prepare_subscribe',
    summary: 'Prepare subscribing to a subscription, with the ERC-20 approval where one is needed',
    summaryOfTerms: 'Prepare subscribing on stated terms, which must match the chain’s',
    description:
      'The approval covers the first charge, `approvalPeriods` charges by remit, and the wallet’s other ' +
      'subscriptions in the same token: with less, remit would drop the subscriber.',
    profiles: ['essential', 'subscriber'],
    errors: permitErrors,
    fields: { ...approvalOptions, ...permitOptions },
    check(input, context) {
      checkApprovalWish(input, context)
      checkPermitWish(input, context)
    },
  },
  { preflight: SubscribePreflight, details: SubscribeReadiness, plan: planSubscribe },
)

/** Checks whether an account can subscribe, what it would pay, and what prevents it. */
export const checkSubscribeReadiness = bothForms(
  {
    name: 'check_subscribe_readiness',
    summary:
      'Whether an account can subscribe: balance, allowance, first charge, and every reason against it',
    summaryOfTerms: 'Whether an account can subscribe on stated terms, which must match the chain’s',
    description: 'A missing allowance is no obstacle: the prepare includes the approval.',
    profiles: ['essential', 'subscriber'],
    fields: approvalCheckOptions,
    check: checkApprovalWish,
  },
  ({ name, isById, profiles, named, ...form }) =>
    defineOperation({
      ...form,
      name,
      effect: 'read',
      kind: 'prepare',
      access: isById ? 'agentsWrite' : 'write',
      rest: { method: 'POST', path: `/${name}` },
      tool: { profiles, text: subscribeReadinessText },
      output: readinessAnswer(SubscribeReadiness),
      async handle({ input, chain, requestId }) {
        const found = await planSubscribe(chain, named(input), input)
        const steps = subscribeSteps(chain, isById ? 'subscribe_by_id' : 'subscribe')
        return answerReadiness({ chain, requestId }, { ...found, from: input.from, steps })
      },
    }),
)

/** What subscribing would cost, and what prevents it. */
function subscribeReadinessText(
  answer: AnyReadiness & { readonly details: z.output<typeof SubscribeReadiness> },
): string {
  const { token, requiredAmount, firstCharge, balance, allowance, proposedAllowance, ...rest } =
    answer.details
  const inToken = (quantity: typeof balance) => amountText(quantity, token)
  const { toFeeBalance, toProvider } = firstCharge
  return [
    ...readinessLines(answer),
    `A period costs ${inToken(requiredAmount)}. Subscribing takes ${inToken(toFeeBalance)} into the fee balance and ` +
      `${inToken(toProvider)} for the provider. Next due ${dayText(rest.nextDue)}.`,
    `The wallet holds ${inToken(balance)} and allows ${inToken(allowance)}; ` +
      (rest.needsApproval
        ? `${inToken(proposedAllowance)} would be approved, which lasts until ${dayText(rest.coversUntil)}.`
        : 'no approval is needed.'),
  ].join('\n')
}
