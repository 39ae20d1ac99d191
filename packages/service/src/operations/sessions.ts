import type { ErrorClass } from '@remit/engine/errors/base'
import { UpstreamError, UpstreamTimeoutError } from '@remit/engine/errors/chain'
import { Address, Signature } from '@remit/engine/schema/hex'
import { Timestamp, toSeconds } from '@remit/engine/schema/numbers'
import * as z from 'zod'
import { defineServiceOperation } from '../calls/serviceOperation.ts'
import {
  ForbiddenError,
  KeysUnavailableError,
  PortalClosedError,
  SignInFailedError,
} from '../errors/access.ts'
import { PORTAL_MODES } from '../ports/sessions.ts'

// Signing in with a wallet, for the site's pages: a nonce, a session, its end.

/** The errors of every route about sessions. */
const sessionErrors: readonly ErrorClass[] = [PortalClosedError, ForbiddenError, KeysUnavailableError]

const sessionFields = {
  address: Address.describe('The wallet that has signed in.'),
  subjectId: z.string().describe('Whose keys the session manages: the address in lower case.'),
  expiresAt: Timestamp,
}

function toSession({ subject, expiresAt }: { readonly subject: string; readonly expiresAt: number }) {
  return { address: Address.parse(subject), subjectId: subject, expiresAt: toSeconds(expiresAt) }
}

/** What a wallet must name in the message with which it signs in. */
export const getSignInTerms = defineServiceOperation({
  name: 'get_sign_in_terms',
  effect: 'manage',
  summary: 'A nonce for signing in with a wallet (EIP-4361)',
  description:
    'The message names the nonce, a `domain` and `uri` of one of the `origins`, and a chain that is served. The nonce is for ' +
    'one sign-in. The address that signs in pays, whatever session it has.',
  access: 'signIn',
  rest: { method: 'POST', path: '/portal/nonce', status: 201 },
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
      issuedAt: toSeconds(issuedAt),
      expiresAt: toSeconds(expiresAt),
      origins: [...origins],
    }
  },
})

/** Opens a session for a wallet that signed a message of EIP-4361. One half of it is a cookie, the other one is answered. */
export const signIn = defineServiceOperation({
  name: 'sign_in',
  effect: 'manage',
  summary: 'Sign in with a wallet (EIP-4361); the session comes as a cookie and a secret',
  description:
    'Wallets that are contracts are asked on the chain that the message names (ERC-1271, ERC-6492), which takes from ' +
    '`expensiveRpm` and `subgraphDaily` too. The address that signs in pays, whatever session it has. A session lasts two ' +
    'hours, manages the wallet’s own keys and asks for its passes. What the site’s pages prepare meanwhile has a developer’s ' +
    'limits. It is no other credential of the API.',
  access: 'signIn',
  rest: { method: 'POST', path: '/portal/session', status: 201 },
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
  async handle({ input, sessions, current, chargeExpensive, setSession }) {
    const session = await sessions.open(input, chargeExpensive)
    if (current !== undefined) await sessions.close(current.id)
    setSession(session)
    return { ...toSession(session), secret: session.secret }
  },
})

/** Who is signed in, if anybody is. */
export const getSession = defineServiceOperation({
  name: 'get_session',
  effect: 'manage',
  summary: 'Which wallet is signed in, and until when',
  access: 'session',
  rest: { method: 'GET', path: '/portal/session' },
  errors: sessionErrors,
  input: z.object({}),
  output: z.object({
    portal: z
      .enum(PORTAL_MODES)
      .describe('Who may have keys by signing in: nobody, everybody, or the wallets on the operator’s list.'),
    session: z.object(sessionFields).nullable().describe('null where nobody is signed in.'),
  }),
  handle: async ({ sessions, current }) => ({
    portal: sessions.portal,
    session: current === undefined ? null : toSession(current),
  }),
})

/** Ends the session, here and on every replica. Without one, nothing changes. */
export const signOut = defineServiceOperation({
  name: 'sign_out',
  effect: 'manage',
  summary: 'End the session',
  access: 'session',
  rest: { method: 'DELETE', path: '/portal/session' },
  errors: sessionErrors,
  input: z.object({}),
  output: z.object({ signedOut: z.literal(true) }),
  async handle({ sessions, current, setSession }) {
    if (current !== undefined) await sessions.close(current.id)
    setSession(null)
    return { signedOut: true as const }
  },
})
