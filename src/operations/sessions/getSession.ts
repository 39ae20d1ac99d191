import * as z from 'zod'
import { defineOperation } from '../../core/operation.ts'
import { PORTAL_MODES } from '../../core/ports/sessions.ts'
import { sessionErrors, sessionFields, toSession } from './session.ts'

/** Who is signed in, if anybody is. */
export const getSession = defineOperation({
  name: 'get_session',
  effect: 'manage',
  scope: 'session',
  summary: 'Which wallet is signed in, and until when',
  rest: { method: 'GET', path: '/portal/session' },
  tool: false,
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
