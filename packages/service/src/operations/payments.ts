import { defineOperation } from '@remit/engine/declare/operation'
import { CursorStaleError } from '@remit/engine/errors/chain'
import { PaymentNotFoundError } from '@remit/engine/errors/history'
import { ProofUnavailableError, ProofUnsupportedError } from '@remit/engine/errors/inclusion'
import { Payment, toPayment } from '@remit/engine/presentation/payment'
import { daysOf, revenueFields } from '@remit/engine/presentation/revenue'
import { Subscription, toSubscription } from '@remit/engine/presentation/subscription'
import { amountText, pageText } from '@remit/engine/presentation/subscriptionText'
import { tokenWarnings } from '@remit/engine/presentation/token'
import { TokenCheck, tokenLogsWarnings, toTokenCheck } from '@remit/engine/presentation/tokenLogs'
import { Address, TransactionHash } from '@remit/engine/schema/hex'
import {
  indexPageFields,
  pageAnswer,
  refuseSkipWithAfter,
  toPageAnswer,
  toPageQuery,
} from '@remit/engine/schema/page'
import * as z from 'zod'
import { PaymentProof } from '../inclusion/proofAnswers.ts'
import { provePayment } from '../inclusion/prove.ts'

// Payments as the index has them: one by one (`getPayment`, a receipt), and those of a provider as a list (`listProviderPayments`).

/** The receipt of one payment. */
export const getPayment = defineOperation({
  name: 'get_payment',
  effect: 'read',
  kind: 'chain',
  summary: 'One payment’s receipt: who paid whom for which day, how it was split, block and confirmations',
  description:
    'The log may be any of the payment’s: one of the contract’s events, or a Transfer of the token that belongs to it. With ' +
    '`proof` the answer holds what anybody can check against the hash of the block, without this service.',
  access: 'provable',
  rest: { method: 'GET', path: '/payments/:txHash/:logIndex' },
  tool: {
    profiles: ['read', 'subscriber', 'provider'],
    text: ({ payment, confirmations }) =>
      `${payment.kind} of ${payment.day.date}: ${payment.subscriber} was charged ${amountText(payment.charged, payment.token)}, ` +
      `${amountText(payment.toProvider, payment.token)} went to ${payment.provider}. Block ${payment.blockNumber}, ` +
      `${confirmations} confirmations${payment.finalized ? ', final' : ''}.`,
  },
  errors: [PaymentNotFoundError, ProofUnsupportedError, ProofUnavailableError],
  input: z.object({
    txHash: TransactionHash,
    logIndex: z
      .int()
      .min(0)
      .max(2 ** 31 - 1)
      .describe('The log’s index in its block.'),
    proof: z.boolean().optional().describe('Whether to answer the proof too, which takes expensive units.'),
  }),
  output: z.object({
    payment: Payment,
    subscription: Subscription.describe('The terms, as they are at the index’s block.'),
    confirmations: z.int().min(1).describe('Blocks from the payment’s to the index’s, both counted.'),
    tokenCheck: TokenCheck,
    proof: PaymentProof.optional().describe('Where it was asked for.'),
  }),
  async query({ input, history }) {
    const found = await history.payment(input.txHash, input.logIndex)
    if (found === undefined) return undefined
    const [logs] = await history.tokenLogs([found.token])
    return logs && { found, logs }
  },
  async handle({ input, chain, rows }) {
    const notFound = () => new PaymentNotFoundError(input.txHash, input.logIndex, chain.chainId)
    if (rows === undefined) throw notFound()
    const { found, logs } = rows
    const [state, tokens] = await Promise.all([
      chain.read.subscription(found.subscriptionId),
      chain.read.lastingTokens([found.token]),
    ])
    // Whoever calls the contract's clean-up names the token. It may be another than the subscription's: then there is no receipt.
    const token = tokens.get(found.token) ?? state.token
    const payment = found.token === token.address ? toPayment(found, token) : undefined
    if (payment === undefined) throw notFound()
    const proof = input.proof ? await provePayment(chain, found) : undefined
    return {
      payment,
      ...(proof && { proof }),
      subscription: toSubscription(state, chain.today),
      confirmations: Math.max(1, chain.asOf.blockNumber - found.blockNumber + 1),
      tokenCheck: toTokenCheck(logs),
      ...tokenWarnings([token, state.token], tokenLogsWarnings([logs])),
    }
  },
})

const PAGE = { default: 25, max: 1000 }

/** `from` and `to` come together, or neither. */
function refuseHalfARange(
  { from, to }: { from?: unknown; to?: unknown },
  context: z.core.$RefinementCtx,
): void {
  if ((from === undefined) === (to === undefined)) return
  const [missing, given] = from === undefined ? ['from', 'to'] : ['to', 'from']
  context.addIssue({ code: 'custom', path: [missing], message: `is needed together with ${given}` })
}

/** Every payment of a provider's subscriptions, by the page or as one file. */
export const listProviderPayments = defineOperation({
  name: 'list_provider_payments',
  effect: 'read',
  kind: 'chain',
  summary:
    'Payments of a provider’s subscriptions, newest first: who paid what for which day, and how it was split',
  description:
    'Refunds, and fee balances of those who left, are among them. Left out is what a clean-up logged in a token that the ' +
    'protocol has not approved. With `from` and `to` they are those that revenue adds up for the same days.',
  access: 'expensive',
  rest: { method: 'GET', path: '/providers/:address/payments' },
  tool: {
    profiles: ['provider'],
    text: ({ provider, payments, ...page }) =>
      pageText(
        `Payments to ${provider}, newest first`,
        payments.map(
          ({ kind, day, subscriber, charged, toProvider, token }) =>
            `${day.date} ${kind} by ${subscriber}: ${amountText(charged, token)} charged, ${amountText(toProvider, token)} received`,
        ),
        page,
      ),
  },
  errors: [CursorStaleError],
  input: z
    .object({
      address: Address,
      from: revenueFields.from
        .optional()
        .describe('The first day on which they were taken, in UTC, as YYYY-MM-DD. Together with `to`.'),
      to: revenueFields.to.optional(),
      ended: z
        .boolean()
        .optional()
        .describe(
          'true: only what ended a membership, which says who left, was removed, dropped or cleaned up, and when.',
        ),
      ...indexPageFields(PAGE),
    })
    .superRefine(refuseSkipWithAfter)
    .superRefine(refuseHalfARange),
  table: { list: 'payments', pageRows: PAGE.max },
  output: z.object({
    provider: Address,
    payments: z.array(
      Payment.extend({
        description: z
          .string()
          .nullable()
          .describe(
            'What the provider says of the subscription now: a stranger’s text. null where it says nothing.',
          ),
        tokenCheck: TokenCheck,
        cursor: z.string().describe('Give it as `after` for what comes after this row.'),
      }),
    ),
    ...pageAnswer,
  }),
  async query({ input, history }) {
    const { address, from, to } = input
    const days = from === undefined || to === undefined ? undefined : daysOf({ from, to })
    const page = await history.payments(address, toPageQuery(input, PAGE), { days, endedOnly: input.ended })
    const tokens = [...new Set(page.rows.map(({ token }) => token))]
    return {
      page,
      tokenLogs: await history.tokenLogs(tokens),
      descriptions: await history.descriptions(page.rows.map(({ subscriptionId }) => subscriptionId)),
    }
  },
  async handle({ input, chain, rows: { page, tokenLogs, descriptions } }) {
    const tokens = await chain.read.lastingTokens(tokenLogs.map(({ token }) => token))
    // Rows in tokens that are not approved are left out: whoever called a clean-up may have named any token.
    const listed = tokenLogs.filter(({ token }) => tokens.has(token))
    const logsOf = new Map(listed.map((logs) => [logs.token, logs]))
    const payments = page.rows.flatMap((row) => {
      const [token, logs] = [tokens.get(row.token), logsOf.get(row.token)]
      const payment = token && toPayment(row, token)
      if (payment === undefined || logs === undefined) return []
      const description = descriptions.get(row.subscriptionId) ?? null
      return [{ ...payment, description, tokenCheck: toTokenCheck(logs), cursor: row.cursor }]
    })
    return {
      provider: input.address,
      payments,
      ...toPageAnswer(page),
      count: payments.length,
      ...tokenWarnings([...tokens.values()], tokenLogsWarnings(listed)),
    }
  },
})
