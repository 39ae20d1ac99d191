import { formatHuman, minimumRaw } from '@remit/protocol/amounts'
import * as z from 'zod'
import { defineOperation } from '../../declare/operation.ts'
import { TokenNotApprovedError } from '../../errors/chain.ts'
import type { TokenFacts } from '../../ports/chainReads.ts'
import { amountText } from '../../presentation/subscriptionText.ts'
import { tokenWarnings, toToken } from '../../presentation/token.ts'
import { RawAmount, Token } from '../../schema/amount.ts'
import { Address } from '../../schema/hex.ts'

const ApprovedToken = Token.extend({
  minimum: z.string().describe('Minimum amount of a subscription, exact, in human units.'),
  minimumRaw: RawAmount.describe("The same in the token's smallest unit, rounded up to a whole one."),
  paused: z.boolean().describe('While paused nobody can create or subscribe, and remit skips it.'),
}).meta({ id: 'ApprovedToken' })

function toApprovedToken(token: TokenFacts): z.output<typeof ApprovedToken> {
  const leastRaw = minimumRaw(token.minimum, token.decimals)
  return {
    ...toToken(token),
    minimum: formatHuman(leastRaw, token.decimals),
    minimumRaw: leastRaw,
    paused: token.paused,
  }
}

/** One token in one line. */
function approvedTokenText({ symbol, address, minimum, paused }: z.output<typeof ApprovedToken>): string {
  const least = amountText({ amount: minimum }, { symbol, address })
  return `${symbol ?? 'a token without a symbol'} ${address}, least amount ${least}${paused ? ', paused' : ''}`
}

/** The tokens that subscriptions can be created in, each confirmed on chain. */
export const listApprovedTokens = defineOperation({
  name: 'list_approved_tokens',
  effect: 'read',
  kind: 'chain',
  summary: 'Approved tokens with their minimum amounts and whether they are paused',
  description:
    'The contract has no list of its tokens: candidates come from the service’s registry and its index, ' +
    'and each one is confirmed on chain.',
  access: 'read',
  rest: { method: 'GET', path: '/approved-tokens' },
  tool: {
    profiles: ['essential', 'read', 'subscriber', 'provider'],
    text: ({ tokens }) => tokens.map(approvedTokenText).join('\n') || 'No approved token is known.',
  },
  input: z.object({}),
  output: z.object({ tokens: z.array(ApprovedToken) }),
  query: ({ history }) => history.tokens(),
  // Without an index, the registry's candidates alone are checked.
  withoutIndex: { rows: [], reported: false },
  async atBlock({ chain, rows }) {
    const tokens = await chain.read.tokens(rows)
    return { tokens: tokens.map(toApprovedToken), ...tokenWarnings(tokens) }
  },
})

/** One token's configuration in the protocol. */
export const getApprovedToken = defineOperation({
  name: 'get_approved_token',
  effect: 'read',
  kind: 'chain',
  summary: 'One approved token: minimum amount, decimals, whether it is paused',
  access: 'read',
  rest: { method: 'GET', path: '/approved-tokens/:token' },
  tool: {
    profiles: ['read'],
    text: ({ token }) => approvedTokenText(token),
  },
  errors: [TokenNotApprovedError],
  input: z.object({ token: Address.describe('The ERC-20 contract.') }),
  output: z.object({ token: ApprovedToken }),
  async atBlock({ input, chain }) {
    const token = await chain.read.token(input.token)
    return { token: toApprovedToken(token), ...tokenWarnings([token]) }
  },
})
