import * as z from 'zod'
import { defineOperation } from '../../core/operation.ts'
import { KeysUnavailableError, PassesOffError } from '../../errors/access.ts'

/** The public keys of passes, where verifiers of JWTs look for them. */
export const getPassKeys = defineOperation({
  name: 'get_pass_keys',
  effect: 'read',
  kind: 'service',
  summary: 'The public keys of passes, as a JWK Set',
  description:
    'Pages of every origin may read it. A key is published two days before it signs and for two days after it has signed ' +
    'last, so that a copy of a day holds.',
  access: 'published',
  rest: { method: 'GET', path: '/.well-known/jwks.json' },
  errors: [PassesOffError, KeysUnavailableError],
  input: z.object({}),
  output: z.object({
    keys: z.array(
      z.object({
        kty: z.literal('OKP'),
        crv: z.literal('Ed25519'),
        x: z.string(),
        kid: z.string(),
        alg: z.literal('EdDSA'),
        use: z.literal('sig'),
      }),
    ),
  }),
  handle: async ({ passes }) => ({ keys: [...(await passes.keys())] }),
})
