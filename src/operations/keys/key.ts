import * as z from 'zod'
import type { ApiKey } from '../../core/ports/keys.ts'
import {
  AdminNotConfiguredError,
  DeveloperKeysDisabledError,
  ForbiddenError,
  KeysUnavailableError,
  PortalClosedError,
} from '../../errors/access.ts'
import type { ErrorClass } from '../../errors/base.ts'
import { Timestamp } from '../../schema/numbers.ts'
import { PlainText } from '../../schema/text.ts'

/** The errors of every route that manages keys. */
export const managementErrors: readonly ErrorClass[] = [
  DeveloperKeysDisabledError,
  AdminNotConfiguredError,
  PortalClosedError,
  ForbiddenError,
  KeysUnavailableError,
]

/** Whose key it is. */
export const SubjectId = plainText(200)
  .min(1)
  .describe('Whose key it is, in your own words: 1 to 200 characters.')

export const KeyLabel = plainText(100).describe('What the key is for: at most 100 characters.')

/** The form is checked only loosely: an id that does not exist is not found. */
export const KeyId = z
  .string()
  .regex(/^[A-Za-z0-9_-]{1,100}$/, 'must be the id of a key')
  .describe('Id of the key, not the key itself.')

/** A key as operators see it, without its hash. */
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

export function toKey(key: ApiKey): z.output<typeof Key> {
  const { id, subjectId, label, prefix, createdAt, lastUsedAt, expiresAt, revokedAt } = key
  return {
    id,
    subjectId,
    label,
    prefix,
    createdAt: toTimestamp(createdAt),
    lastUsedAt: lastUsedAt === null ? null : toTimestamp(lastUsedAt),
    expiresAt: expiresAt === null ? null : toTimestamp(expiresAt),
    revokedAt: revokedAt === null ? null : toTimestamp(revokedAt),
  }
}

function toTimestamp(unixMs: number): number {
  return Math.floor(unixMs / 1000)
}

function plainText(maxLength: number) {
  return PlainText.max(maxLength, `must have ${maxLength} characters at most`)
}
