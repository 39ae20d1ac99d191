import * as z from 'zod'
import { amountText, dayText, listText } from '../../../presentation/subscriptionText.ts'
import type { RemitReadiness } from '../remit/remitReadiness.ts'
import type { SubscribeReadiness } from '../subscribe/planSubscribe.ts'
import { prepareAnswer, UnsignedTransaction } from './prepareAnswer.ts'
import { readinessAnswer } from './readinessAnswer.ts'

const anyPrepare = prepareAnswer(z.object({}), z.object({}))
const anyReadiness = readinessAnswer(z.object({}))

/** What every prepare answers, whatever it found beside it. */
type AnyPrepare = Omit<z.output<typeof anyPrepare>, 'preflight' | 'details'>

type AnyReadiness = Omit<z.output<typeof anyReadiness>, 'details'>

/**
 * A prepare in a few words, with its unsigned transactions whole.
 *
 * They stand here as they stand in the answer: an agent that reads only text has to hand them to a wallet.
 */
export function prepareText(answer: AnyPrepare): string {
  const { operation, unsignedTransactions, ready, issues = [], instructions } = answer
  if (unsignedTransactions === undefined) {
    return readinessLines({ operation, ready: ready ?? false, issues, instructions }).join('\n')
  }
  const changes = answer.simulation?.balanceChanges ?? []
  const wire = unsignedTransactions.map((transaction) =>
    JSON.stringify(z.encode(UnsignedTransaction, transaction)),
  )
  return [
    `${operation}: proven at block ${answer.simulation?.blockNumber}, to be signed before ${answer.formattedValidUntil}.`,
    ...listText(changes.map(({ account, token, ...change }) => `${account}: ${amountText(change, token)}`)),
    `Gas about ${answer.gasSummary?.totalEstimatedCostEth} ETH.`,
    ...instructions.map((step, index) => `${index + 1}. ${step}`),
    'Unsigned transactions, in order:',
    ...wire,
  ].join('\n')
}

/** What a subscribe would take, and what stands against it. */
export function subscribeReadinessText(
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

/** What the waiting days would pay, and what stands against calling remit(). */
export function remitReadinessText(
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

function readinessLines({
  operation,
  ready,
  issues,
  instructions,
}: Pick<AnyReadiness, 'operation' | 'ready' | 'issues' | 'instructions'>): string[] {
  if (ready) return [`${operation}: ready.`, ...instructions]
  return [
    `${operation}: not ready.`,
    ...issues.map(({ code, path, message }) => `- ${code ?? path ?? ''}: ${message}`),
  ]
}
