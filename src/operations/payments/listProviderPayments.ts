import * as z from 'zod'
import { defineOperation } from '../../core/operation.ts'
import { CursorStaleError } from '../../errors/chain.ts'
import { Payment, toPayment } from '../../presentation/payment.ts'
import { amountText, pageText } from '../../presentation/subscriptionText.ts'
import { tokenWarnings } from '../../presentation/token.ts'
import { TokenCheck, tokenLogsWarnings, toTokenCheck } from '../../presentation/tokenLogs.ts'
import { Address } from '../../schema/address.ts'
import {
  indexPageFields,
  pageAnswer,
  refuseSkipWithAfter,
  toPageAnswer,
  toPageQuery,
} from '../../schema/page.ts'

const PAGE = { default: 25, max: 1000 }

/** Every payment of a provider's subscriptions, by the page or as one file. */
export const listProviderPayments = defineOperation({
  name: 'list_provider_payments',
  effect: 'read',
  kind: 'chain',
  summary:
    'Payments of a provider’s subscriptions, newest first: who paid what for which day, and how it was split',
  description:
    'Refunds, and fee balances of those who left, are among them. Left out is what a clean-up logged in a token that the ' +
    'protocol has not approved.',
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
  input: z.object({ address: Address, ...indexPageFields(PAGE) }).superRefine(refuseSkipWithAfter),
  table: { list: 'payments', pageRows: PAGE.max },
  output: z.object({
    provider: Address,
    payments: z.array(
      Payment.extend({
        tokenCheck: TokenCheck,
        cursor: z.string().describe('Give it as `after` for what comes after this row.'),
      }),
    ),
    ...pageAnswer,
  }),
  async query({ input, history }) {
    const page = await history.payments(input.address, toPageQuery(input, PAGE))
    const tokens = [...new Set(page.rows.map(({ token }) => token))]
    return { page, tokenLogs: await history.tokenLogs(tokens) }
  },
  async handle({ input, chain, rows: { page, tokenLogs } }) {
    const tokens = await chain.read.lastingTokens(tokenLogs.map(({ token }) => token))
    const listed = tokenLogs.filter(({ token }) => tokens.has(token))
    const logsOf = new Map(listed.map((logs) => [logs.token, logs]))
    const payments = page.rows.flatMap((row) => {
      const [token, logs] = [tokens.get(row.token), logsOf.get(row.token)]
      const payment = token && toPayment(row, token)
      if (payment === undefined || logs === undefined) return []
      return [{ ...payment, tokenCheck: toTokenCheck(logs), cursor: row.cursor }]
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
