import * as z from 'zod'
import { defineOperation } from '../../../core/operation.ts'
import { ViewFailedError } from '../../../errors/chain.ts'
import { amountText, listText } from '../../../presentation/subscriptionText.ts'
import { Address } from '../../../schema/address.ts'
import { type AnyReadiness, readinessLines } from '../answer/prepareText.ts'
import { answerReadiness, readinessAnswer } from '../answer/readinessAnswer.ts'
import { planRemit } from './planRemit.ts'
import { remitAfterMidnight } from './remitAfterMidnight.ts'
import { findRemit } from './remitFindings.ts'
import { RemitReadiness, toRemitReadiness } from './remitReadiness.ts'

/** Forecasts what calling remit() until nothing is due would do, and what prevents it. */
export const checkRemitReadiness = defineOperation({
  name: 'check_remit_readiness',
  effect: 'read',
  scope: 'chain',
  apart: true,
  summary: 'Scan every unchecked day: who will pay, who will fail, what it earns, how many calls it takes',
  description:
    'Looks at all days from nextUncheckedDay to today. The first calls of remit() are simulated at this block. Later ones are calculated by the protocol’s rules, and their transfers are tried, as far as `seen` ' +
    'says.',
  rest: { method: 'POST', path: '/check_remit_readiness' },
  tool: {
    profiles: ['keeper'],
    text: remitReadinessText,
  },
  buckets: ['write'],
  errors: [ViewFailedError],
  input: z.object({ from: Address.describe('Who would call remit() and earn the fee. Anybody may.') }),
  output: readinessAnswer(RemitReadiness),
  async handle({ input, chain, requestId }) {
    const [findings, afterMidnight] = await Promise.all([
      findRemit(chain, input.from),
      remitAfterMidnight(chain),
    ])
    const details = toRemitReadiness(chain, findings)
    const steps = [
      `Ask POST /prepare/remit?chainId=${chain.chainId} for the transaction with the same \`from\`, sign it, ` +
        'send it, and wait until it is mined.',
      findings.stop === undefined
        ? 'Do so again until this check says NOTHING_DUE or REMIT_NOT_DUE.'
        : 'Do so again until this check is not ready any more: its warnings say what stops remit then.',
    ]
    const plan = planRemit(chain, findings, { details, afterMidnight })
    return answerReadiness({ chain, requestId }, { ...plan, from: input.from, steps })
  },
})

/** The unchecked days in a few words: who pays, who fails, and what the caller earns. */
function remitReadinessText(
  answer: AnyReadiness & { readonly details: z.output<typeof RemitReadiness> },
): string {
  const { days, failing, expectedTransactions, callerFees } = answer.details
  const fees = callerFees.map(({ token, ...fee }) => amountText(fee, token)).join(', ')
  return [
    ...readinessLines(answer),
    `Calls of remit(): ${expectedTransactions}. Caller's fees: ${fees || 'none'}.`,
    ...listText(
      days.map(
        ({ date, subscriptions, willPay, willFail }) =>
          `${date}: ${subscriptions} subscriptions, ${willPay} pay, ${willFail} fail`,
      ),
    ),
    ...listText(
      failing.map(
        ({ date, subscriber, subscriptionId, reason }) =>
          `${date}: ${subscriber} fails in ${subscriptionId} by ${reason ?? 'a reason that cannot be told'}`,
      ),
    ),
  ].join('\n')
}
