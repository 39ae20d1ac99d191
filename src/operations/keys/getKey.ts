import * as z from 'zod'
import { defineOperation } from '../../core/operation.ts'
import { KeyNotFoundError } from '../../errors/access.ts'
import { Key, KeyId, managementErrors, toKey } from './key.ts'

/** One key by its id. */
export const getKey = defineOperation({
  name: 'get_key',
  effect: 'manage',
  scope: 'keys',
  summary: 'One API key by its id',
  rest: { method: 'GET', path: '/developer/keys/:id' },
  tool: false,
  errors: [...managementErrors, KeyNotFoundError],
  input: z.object({ id: KeyId }),
  output: z.object({ key: Key }),
  handle: async ({ input, keys }) => ({ key: toKey(await keys.get(input.id)) }),
})
