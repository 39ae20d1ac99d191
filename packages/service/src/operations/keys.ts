import { LaneLimits } from '@remit/engine/declare/lanes'
import type { ErrorClass } from '@remit/engine/errors/base'
import { ValidationError } from '@remit/engine/errors/input'
import { LAST_SECOND, Timestamp, toSeconds } from '@remit/engine/schema/numbers'
import { pageAnswer, pageFields } from '@remit/engine/schema/page'
import { PlainText } from '@remit/engine/schema/text'
import * as z from 'zod'
import { defineServiceOperation } from '../calls/serviceOperation.ts'
import {
  AdminNotConfiguredError,
  DeveloperKeysDisabledError,
  ForbiddenError,
  KeyNotFoundError,
  KeysUnavailableError,
  LimiterUnavailableError,
  MaxKeysError,
  PortalClosedError,
} from '../errors/access.ts'
import type { ApiKey } from '../ports/keys.ts'

// The operations that manage API keys: for operators (by the admin secret) all keys, for a signed-in wallet its own (`OwnKeys`).

/** The errors of every route that manages keys. */
const managementErrors: readonly ErrorClass[] = [
  DeveloperKeysDisabledError,
  AdminNotConfiguredError,
  PortalClosedError,
  ForbiddenError,
  KeysUnavailableError,
]

/** The errors of routes that name one key. */
const oneKeyErrors: readonly ErrorClass[] = [...managementErrors, KeyNotFoundError]

const SubjectId = plainText(200).min(1).describe('Whose key it is, in your own words: 1 to 200 characters.')

const KeyLabel = plainText(100).describe('What the key is for: at most 100 characters.')

/** The form is checked only loosely: an id that does not exist is not found. */
const KeyId = z
  .string()
  .regex(/^[A-Za-z0-9_-]{1,100}$/, 'must be the id of a key')
  .describe('Id of the key, not the key itself.')

/** A key as its manager sees it, without its hash. */
export const Key = z
  .object({
    id: z.string(),
    subjectId: z.string(),
    label: z.string().nullable(),
    prefix: z.string().describe('The first characters of the key.'),
    createdAt: Timestamp,
    lastUsedAt: Timestamp.nullable().describe('Unix time in seconds, up to a minute late.'),
    expiresAt: Timestamp.nullable(),
    revokedAt: Timestamp.nullable(),
  })
  .meta({ id: 'ApiKey' })

/** A key as it is answered: times in seconds, and without the account that its uses count in. */
export function toKey(key: ApiKey): z.output<typeof Key> {
  const { id, subjectId, label, prefix, createdAt, lastUsedAt, expiresAt, revokedAt } = key
  return {
    id,
    subjectId,
    label,
    prefix,
    createdAt: toSeconds(createdAt),
    lastUsedAt: toSeconds(lastUsedAt),
    expiresAt: toSeconds(expiresAt),
    revokedAt: toSeconds(revokedAt),
  }
}

function plainText(maxLength: number) {
  return PlainText.max(maxLength, `must have ${maxLength} characters at most`)
}

/** The warning that goes with every new key. */
export const KEEP_THE_TOKEN = 'Keep the token now: only its hash is stored, and it cannot be shown again.'

/** Makes a developer's key. Only this answer ever shows the whole key. */
export const createKey = defineServiceOperation({
  name: 'create_key',
  effect: 'manage',
  access: 'keys',
  summary: 'Make an API key for a developer; the key is shown only once',
  description:
    'It goes on with the limits of a key that the subject has revoked or let expire, if there is one: a new key gives no fresh ones.',
  rest: { method: 'POST', path: '/developer/keys', status: 201 },
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

const PAGE = { default: 25, max: 100 }

/** Pages through keys: a subject's, or everybody's. */
export const listKeys = defineServiceOperation({
  name: 'list_keys',
  effect: 'manage',
  access: 'keys',
  summary: 'API keys, newest first, including revoked and expired ones',
  rest: { method: 'GET', path: '/developer/keys' },
  errors: managementErrors,
  input: z.object({
    subjectId: SubjectId.optional().describe('Only the keys of this subject.'),
    first: pageFields(PAGE).first,
    after: pageFields(PAGE).after,
  }),
  output: z.object({ keys: z.array(Key), nextCursor: pageAnswer.nextCursor }),
  async handle({ input: { subjectId, first = PAGE.default, after }, keys }) {
    const page = await keys.list({ subjectId, first, after })
    return { keys: page.keys.map(toKey), nextCursor: page.nextCursor }
  },
})

/** One key by its id. */
export const getKey = defineServiceOperation({
  name: 'get_key',
  effect: 'manage',
  access: 'keys',
  summary: 'One API key by its id',
  rest: { method: 'GET', path: '/developer/keys/:id' },
  errors: oneKeyErrors,
  input: z.object({ id: KeyId }),
  output: z.object({ key: Key }),
  handle: async ({ input, keys }) => ({ key: toKey(await keys.get(input.id)) }),
})

/** How much of each limit a key has used. Reading it takes nothing from the key. */
export const getKeyUsage = defineServiceOperation({
  name: 'get_key_usage',
  effect: 'manage',
  access: 'keys',
  summary: 'How much of each of its limits an API key has used',
  description: 'A key and the one that replaced it count together.',
  rest: { method: 'GET', path: '/developer/keys/:id/usage' },
  errors: [...managementErrors, KeyNotFoundError, LimiterUnavailableError],
  input: z.object({ id: KeyId }),
  output: z.object({
    id: z.string(),
    limits: z.array(
      z.object({
        name: LaneLimits.keyof(),
        limit: z.int(),
        used: z.int().describe('In the last 60 seconds, or on this UTC day.'),
        resetSeconds: z.int().describe('Until one more is free; for a day’s limit, until the UTC day ends.'),
      }),
    ),
  }),
  async handle({ input, keys, usage }) {
    // First the key itself: a session gets KeyNotFoundError here for another subject's, and so learns nothing of its usage.
    const { id, account } = await keys.get(input.id)
    const quotas = await usage.usageOf(account)
    return {
      id,
      limits: quotas.map(({ name, limit, remaining, resetSeconds }) => ({
        name: LaneLimits.keyof().parse(name),
        limit,
        used: limit - remaining,
        resetSeconds,
      })),
    }
  },
})

/** Changes what a key is called. The key itself, its end and what it has used stay. */
export const renameKey = defineServiceOperation({
  name: 'rename_key',
  effect: 'manage',
  access: 'keys',
  summary: 'Give an API key another label',
  rest: { method: 'POST', path: '/developer/keys/:id' },
  errors: oneKeyErrors,
  input: z.object({
    id: KeyId,
    label: KeyLabel.nullable().describe(
      'What the key is for: at most 100 characters. null takes the label away.',
    ),
  }),
  output: z.object({ key: Key }),
  handle: async ({ input: { id, label }, keys }) => ({ key: toKey(await keys.rename(id, label)) }),
})

/** Replaces a key. The old one works for another day, so that programs can be changed over one by one. */
export const rotateKey = defineServiceOperation({
  name: 'rotate_key',
  effect: 'manage',
  access: 'keys',
  summary: 'Replace an API key; the old one works for 24 more hours',
  description:
    'The new key has the label and the end of the old one, and is shown only once. The old key does not count towards the ' +
    'subject’s limit any more. Both count in the same limits: a rotation gives no fresh ones.',
  rest: { method: 'POST', path: '/developer/keys/:id/rotate', status: 201 },
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

/** Revokes a key: refused here from now on, and within a second by every process. A second time changes nothing. */
export const revokeKey = defineServiceOperation({
  name: 'revoke_key',
  effect: 'manage',
  access: 'keys',
  summary: 'Revoke an API key, for good',
  rest: { method: 'DELETE', path: '/developer/keys/:id' },
  errors: oneKeyErrors,
  input: z.object({ id: KeyId }),
  output: z.object({ key: Key, revoked: z.literal(true) }),
  handle: async ({ input, keys }) => ({ key: toKey(await keys.revoke(input.id)), revoked: true as const }),
})
