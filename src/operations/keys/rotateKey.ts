import * as z from 'zod'
import { defineOperation } from '../../core/operation.ts'
import { KeyNotFoundError, MaxKeysError } from '../../errors/access.ts'
import { KEEP_THE_TOKEN } from './createKey.ts'
import { Key, KeyId, managementErrors, toKey } from './key.ts'

/** Replaces a key. The old one works for another day, so that programs can be changed over one by one. */
export const rotateKey = defineOperation({
  name: 'rotate_key',
  effect: 'manage',
  scope: 'keys',
  summary: 'Replace an API key; the old one works for 24 more hours',
  description:
    'The new key has the label and the end of the old one, and is shown only once. The old key does not count towards the ' +
    'subject’s limit any more. Both count in the same limits: a rotation gives no fresh ones.',
  rest: { method: 'POST', path: '/developer/keys/:id/rotate', status: 201 },
  tool: false,
  errors: [...managementErrors, KeyNotFoundError, MaxKeysError],
  input: z.object({ id: KeyId }),
  output: z.object({
    id: z.string(),
    token: z.string().describe('The new key itself. It cannot be shown again.'),
    key: Key,
    replaced: Key.describe('The old key, with its end.'),
    warning: z.string(),
  }),
  async handle({ input, keys }) {
    const { token, key, replaced } = await keys.rotate(input.id)
    return { id: key.id, token, key: toKey(key), replaced: toKey(replaced), warning: KEEP_THE_TOKEN }
  },
})
