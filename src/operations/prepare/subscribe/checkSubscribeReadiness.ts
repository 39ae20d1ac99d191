import * as z from 'zod'
import { defineOperation } from '../../../core/operation.ts'
import { SubscriptionNotFoundError } from '../../../errors/chain.ts'
import { SubscriptionMismatchError } from '../../../errors/prepare.ts'
import { dayText } from '../../../presentation/subscriptionText.ts'
import { SubscriptionId } from '../../../schema/hash.ts'
import { byTerms, GivenSubscription } from '../answer/givenSubscription.ts'
import { approvalCheckOptions, checkApprovalWish } from '../answer/options.ts'
import { type AnyReadiness, readinessLines } from '../answer/prepareText.ts'
import { answerReadiness, readinessAnswer } from '../answer/readinessAnswer.ts'
import { planSubscribe, SubscribeReadiness, subscribeSteps } from './planSubscribe.ts'

const bothForms = {
  effect: 'read',
  output: readinessAnswer(SubscribeReadiness),
} as const

/** Checks whether an account can subscribe, what it would pay, and what prevents it. */
export const checkSubscribeReadinessById = defineOperation({
  ...bothForms,
  scope: 'chain',
  name: 'check_subscribe_readiness_by_id',
  summary: 'Whether an account can subscribe: balance, allowance, first charge, and every reason against it',
  description: 'A missing allowance is no obstacle: the prepare includes the approval.',
  rest: { method: 'POST', path: '/check_subscribe_readiness_by_id' },
  tool: { profiles: ['subscriber'], text: subscribeReadinessText },
  // The tool costs as much as a prepare, because agents call it again and again. The route costs less.
  buckets: [],
  toolBuckets: ['write'],
  errors: [SubscriptionNotFoundError],
  input: z.object({ id: SubscriptionId, ...approvalCheckOptions }).superRefine(checkApprovalWish),
  async handle({ input, chain, requestId }) {
    const found = await planSubscribe(chain, { id: input.id }, input)
    const steps = subscribeSteps(chain, 'subscribe_by_id')
    return answerReadiness({ chain, requestId }, { ...found, from: input.from, steps })
  },
})

/** The same for a caller who states the terms: they must be the chain's. */
export const checkSubscribeReadiness = defineOperation({
  ...bothForms,
  scope: 'chain',
  name: 'check_subscribe_readiness',
  summary: 'Whether an account can subscribe on stated terms, which must match the chain’s',
  description: 'As check_subscribe_readiness_by_id, which is enough where only the id is known.',
  rest: { method: 'POST', path: '/check_subscribe_readiness' },
  tool: { profiles: [], text: subscribeReadinessText },
  buckets: ['write'],
  errors: [SubscriptionNotFoundError, SubscriptionMismatchError],
  input: z
    .object({ subscription: GivenSubscription, ...approvalCheckOptions })
    .superRefine(checkApprovalWish),
  async handle({ input, chain, requestId }) {
    const found = await planSubscribe(chain, byTerms(input.subscription), input)
    const steps = subscribeSteps(chain, 'subscribe')
    return answerReadiness({ chain, requestId }, { ...found, from: input.from, steps })
  },
})

/** What subscribing would cost, and what prevents it. */
function subscribeReadinessText(
  answer: AnyReadiness & { readonly details: z.output<typeof SubscribeReadiness> },
): string {
  const { requiredAmount, firstCharge, balance, allowance, proposedAllowance, ...rest } = answer.details
  const { toFeeBalance, toProvider } = firstCharge
  return [
    ...readinessLines(answer),
    `A period costs ${requiredAmount.amount}. Subscribing takes ${toFeeBalance.amount} into the fee balance and ` +
      `${toProvider.amount} for the provider. Next due ${dayText(rest.nextDue)}.`,
    `The wallet holds ${balance.amount} and allows ${allowance.amount}; ` +
      (rest.needsApproval
        ? `${proposedAllowance.amount} would be approved, which lasts until ${dayText(rest.coversUntil)}.`
        : 'no approval is needed.'),
  ].join('\n')
}
