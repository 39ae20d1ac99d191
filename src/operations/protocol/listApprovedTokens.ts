import * as z from 'zod'
import { defineOperation } from '../../core/operation.ts'
import { tokenWarnings } from '../../presentation/token.ts'
import { ApprovedToken, approvedTokenText, toApprovedToken } from './approvedToken.ts'

/** The tokens that subscriptions can be created in, each confirmed on chain. */
export const listApprovedTokens = defineOperation({
  name: 'list_approved_tokens',
  effect: 'read',
  scope: 'index',
  summary: 'Approved tokens with their minimum amounts and whether they are paused',
  description:
    'The contract has no list of its tokens: candidates come from the service’s registry and its index, ' +
    'and each one is confirmed on chain.',
  rest: { method: 'GET', path: '/approved-tokens' },
  tool: {
    profiles: ['read', 'subscriber', 'provider'],
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
