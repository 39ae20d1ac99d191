import * as z from 'zod'
import { defineOperation } from '../../core/operation.ts'
import { TokenNotApprovedError } from '../../errors/chain.ts'
import { tokenWarnings } from '../../presentation/token.ts'
import { Address } from '../../schema/address.ts'
import { ApprovedToken, approvedTokenText, toApprovedToken } from './approvedToken.ts'

/** One token's configuration in the protocol. */
export const getApprovedToken = defineOperation({
  name: 'get_approved_token',
  effect: 'read',
  scope: 'chain',
  summary: 'One approved token: minimum amount, decimals, whether it is paused',
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
