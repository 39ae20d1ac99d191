import * as z from 'zod'
import { defineOperation } from '../../core/operation.ts'
import { MaxKeysError } from '../../errors/access.ts'
import { ValidationError } from '../../errors/input.ts'
import { Key, KeyLabel, managementErrors, SubjectId, toKey } from './key.ts'

/** The end of the year 9999. */
const LAST_SECOND = 253_402_300_799

export const KEEP_THE_TOKEN = 'Keep the token now: only its hash is stored, and it cannot be shown again.'

/** Makes a developer's key. Only this answer ever shows the whole key. */
export const createKey = defineOperation({
  name: 'create_key',
  effect: 'manage',
  scope: 'keys',
  summary: 'Make an API key for a developer; the key is shown only once',
  description:
    'It goes on with the limits of a key that the subject has revoked or let expire, if there is one: a new key gives no fresh ones.',
  rest: { method: 'POST', path: '/developer/keys', status: 201 },
  tool: false,
  errors: [...managementErrors, MaxKeysError],
  input: z.object({
    subjectId: SubjectId.optional().describe(
      'Whose key it is, in your own words: 1 to 200 characters. A session leaves it out: the key is its wallet’s.',
    ),
    label: KeyLabel.optional(),
    expiresAt: z
      .int()
      .min(0)
      .max(LAST_SECOND)
      .optional()
      .describe('Unix time in seconds at which the key expires. Default: never.'),
  }),
  output: z.object({
    id: z.string(),
    token: z.string().describe('The key itself. It cannot be shown again.'),
    key: Key,
    warning: z.string(),
  }),
  async handle({ input: { subjectId: named, label, expiresAt }, subject, keys }) {
    const subjectId = named ?? subject
    if (subjectId === undefined) throw ValidationError.of('subjectId', 'is required')
    const expiresAtMs = expiresAt === undefined ? null : expiresAt * 1000
    const { token, key } = await keys.create({ subjectId, label: label ?? null, expiresAt: expiresAtMs })
    return {
      id: key.id,
      token,
      key: toKey(key),
      warning: KEEP_THE_TOKEN,
    }
  },
})
