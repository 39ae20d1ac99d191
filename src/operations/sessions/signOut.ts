import * as z from 'zod'
import { defineOperation } from '../../core/operation.ts'
import { sessionErrors } from './session.ts'

/** Ends the session, here and on every replica. Without one, nothing changes. */
export const signOut = defineOperation({
  name: 'sign_out',
  effect: 'manage',
  scope: 'session',
  summary: 'End the session',
  rest: { method: 'DELETE', path: '/portal/session' },
  tool: false,
  errors: sessionErrors,
  input: z.object({}),
  output: z.object({ signedOut: z.literal(true) }),
  async handle({ sessions, current, keep }) {
    if (current !== undefined) await sessions.close(current.id)
    keep(null)
    return { signedOut: true as const }
  },
})
