import * as z from 'zod'
import { amountText, listText } from '../../../presentation/subscriptionText.ts'
import { AuthorizationToSign } from '../../../schema/authorization.ts'
import { PermitToSign } from '../../../schema/permit.ts'
import { type AnyPrepare, type AnyReadiness, UnsignedTransaction } from './prepareAnswer.ts'

/**
 * A prepare in a few words, with its complete unsigned transactions.
 *
 * They stand here as in the answer, because an agent that reads only text must give them to a wallet.
 */
export function prepareText(answer: AnyPrepare): string {
  const {
    operation,
    unsignedTransactions,
    ready = false,
    unproven = false,
    issues = [],
    instructions,
    permit,
    authorization,
  } = answer
  if (unsignedTransactions === undefined && answer.ready === undefined) {
    const typed =
      permit !== undefined
        ? z.encode(PermitToSign, permit)
        : authorization && z.encode(AuthorizationToSign, authorization)
    const signed = typed === undefined ? [] : ['To sign:', JSON.stringify(typed)]
    return [`${operation}: nothing to send.`, ...numbered(instructions), ...signed].join('\n')
  }
  if (unsignedTransactions === undefined) {
    return readinessLines({ operation, ready, unproven, issues, instructions }).join('\n')
  }
  const changes = answer.simulation?.balanceChanges ?? []
  const wire = unsignedTransactions.map((transaction) =>
    JSON.stringify(z.encode(UnsignedTransaction, transaction)),
  )
  return [
    `${operation}: proven at block ${answer.simulation?.blockNumber}, to be signed before ${answer.formattedValidUntil}.`,
    ...listText(changes.map(({ account, token, ...change }) => `${account}: ${amountText(change, token)}`)),
    `Gas about ${answer.gasSummary?.totalEstimatedCostEth} ETH.`,
    ...numbered(instructions),
    'Unsigned transactions, in order:',
    ...wire,
  ].join('\n')
}

function numbered(steps: readonly string[]): string[] {
  return steps.map((step, index) => `${index + 1}. ${step}`)
}

/** Whether it is ready, and what prevents it if it is not. */
export function readinessLines({
  operation,
  ready,
  unproven,
  issues,
  instructions,
}: Pick<AnyReadiness, 'operation' | 'ready' | 'unproven' | 'issues' | 'instructions'>): string[] {
  if (ready) {
    const untried = unproven ? ' Unproven: not all of it could be run, so a prepare can still fail.' : ''
    return [`${operation}: ready.${untried}`, ...instructions]
  }
  return [
    `${operation}: not ready.`,
    ...issues.map(({ code, path, message }) => `- ${code ?? path ?? ''}: ${message}`),
  ]
}
