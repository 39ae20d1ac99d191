import * as z from 'zod'
import { defineOperation } from '../../core/operation.ts'
import { KeyNotFoundError } from '../../errors/access.ts'
import { Key, KeyId, KeyLabel, managementErrors, toKey } from './key.ts'

/** Changes what a key is called. The key itself, its end and what it has used stay. */
export const renameKey = defineOperation({
  name: 'rename_key',
  effect: 'manage',
  scope: 'keys',
  summary: 'Give an API key another label',
  rest: { method: 'POST', path: '/developer/keys/:id' },
  tool: false,
  errors: [...managementErrors, KeyNotFoundError],
  input: z.object({
    id: KeyId,
    label: KeyLabel.nullable().describe(
      'What the key is for: at most 100 characters. null takes the label away.',
    ),
  }),
  output: z.object({ key: Key }),
  handle: async ({ input: { id, label }, keys }) => ({ key: toKey(await keys.rename(id, label)) }),
})
