import * as z from 'zod'
import { ForbiddenError, KeysUnavailableError, PortalClosedError } from '../../errors/access.ts'
import type { ErrorClass } from '../../errors/base.ts'
import { Address } from '../../schema/address.ts'
import { Timestamp } from '../../schema/numbers.ts'

/** The errors of every route about sessions. */
export const sessionErrors: readonly ErrorClass[] = [PortalClosedError, ForbiddenError, KeysUnavailableError]

export const sessionFields = {
  address: Address.describe('The wallet that has signed in.'),
  subjectId: z.string().describe('Whose keys the session manages: the address in lower case.'),
  expiresAt: Timestamp,
}

export function toSession({ subject, expiresAt }: { readonly subject: string; readonly expiresAt: number }) {
  return { address: Address.parse(subject), subjectId: subject, expiresAt: Math.floor(expiresAt / 1000) }
}
