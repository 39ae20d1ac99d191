import type { Hex } from 'viem'
import * as z from 'zod'
import { defineOperation } from '../../core/operation.ts'
import { SignInFailedError } from '../../errors/access.ts'
import { UpstreamError, UpstreamTimeoutError } from '../../errors/chain.ts'
import { sessionErrors, sessionFields, toSession } from './session.ts'

/** A wallet that is not deployed yet puts its deployment into its signature; one whose owners approve by a transaction has none. */
const MOST_SIGNATURE_BYTES = 16 * 1024

const Signature = z
  .string()
  .regex(/^0x([0-9a-fA-F]{2})*$/, 'must be bytes in hex')
  .max(2 + 2 * MOST_SIGNATURE_BYTES, `must have ${MOST_SIGNATURE_BYTES} bytes at most`)
  .transform((text) => text as Hex)

/** Opens a session for a wallet that signed a message of EIP-4361. One half of it is a cookie, the other one is answered. */
export const signIn = defineOperation({
  name: 'sign_in',
  effect: 'manage',
  scope: 'session',
  summary: 'Sign in with a wallet (EIP-4361); the session comes as a cookie and a secret',
  description:
    'Wallets that are contracts are asked on the chain that the message names (ERC-1271, ERC-6492), which takes from ' +
    '`expensiveRpm` and `subgraphDaily` too. The address that signs in pays, whatever session it has. A session lasts two ' +
    'hours, manages the wallet’s own keys and asks for its passes. It is no credential of the API.',
  rest: { method: 'POST', path: '/portal/session', status: 201 },
  tool: false,
  paidByAddress: true,
  errors: [...sessionErrors, SignInFailedError, UpstreamError, UpstreamTimeoutError],
  input: z.object({
    message: z.string().min(1).max(4000).describe('The whole message, as it was signed.'),
    signature: Signature.describe(
      'The wallet’s signature of the message (personal_sign): of a key, 65 bytes, or 64 by EIP-2098; of a contract, the bytes ' +
        'that it takes, which may be none (`0x`).',
    ),
  }),
  output: z.object({
    ...sessionFields,
    secret: z
      .string()
      .describe(
        'The other half of the session: the page keeps it in the storage of its origin, and sends it as `X-Session-Secret` with ' +
          'every request of the session. It cannot be shown again.',
      ),
  }),
  async handle({ input, sessions, current, pay, keep }) {
    const session = await sessions.open(input, pay)
    if (current !== undefined) await sessions.close(current.id)
    keep(session)
    return { ...toSession(session), secret: session.secret }
  },
})
