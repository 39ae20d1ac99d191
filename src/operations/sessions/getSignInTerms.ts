import * as z from 'zod'
import { defineOperation } from '../../core/operation.ts'
import { Timestamp } from '../../schema/numbers.ts'
import { sessionErrors } from './session.ts'

/** What a wallet must name in the message with which it signs in. */
export const getSignInTerms = defineOperation({
  name: 'get_sign_in_terms',
  effect: 'manage',
  scope: 'session',
  summary: 'A nonce for signing in with a wallet (EIP-4361)',
  description:
    'The message names the nonce, a `domain` and `uri` of one of the `origins`, and a chain that is served. The nonce is for ' +
    'one sign-in. The address that signs in pays, whatever session it has.',
  rest: { method: 'POST', path: '/portal/nonce', status: 201 },
  tool: false,
  paidByAddress: true,
  errors: sessionErrors,
  input: z.object({}),
  output: z.object({
    nonce: z.string(),
    issuedAt: Timestamp.describe('Now, by the service’s clock, for the message’s `Issued At`.'),
    expiresAt: Timestamp,
    origins: z.array(z.string()),
  }),
  async handle({ sessions }) {
    const { nonce, issuedAt, expiresAt, origins } = await sessions.terms()
    return {
      nonce,
      issuedAt: Math.floor(issuedAt / 1000),
      expiresAt: Math.floor(expiresAt / 1000),
      origins: [...origins],
    }
  },
})
