import * as z from 'zod'
import { defineOperation } from '../../core/operation.ts'
import { KeyNotFoundError } from '../../errors/access.ts'
import { Key, KeyId, managementErrors, toKey } from './key.ts'

/** Revokes a key: refused here from now on, and within a second by every process. A second time changes nothing. */
export const revokeKey = defineOperation({
  name: 'revoke_key',
  effect: 'manage',
  scope: 'keys',
  summary: 'Revoke an API key, for good',
  rest: { method: 'DELETE', path: '/developer/keys/:id' },
  tool: false,
  errors: [...managementErrors, KeyNotFoundError],
  input: z.object({ id: KeyId }),
  output: z.object({ key: Key, revoked: z.literal(true) }),
  handle: async ({ input, keys }) => ({ key: toKey(await keys.revoke(input.id)), revoked: true as const }),
})
