import * as z from 'zod'

export const FrequencyNumber = z
  .literal([0, 1, 2, 3], 'must be 0 (weekly), 1 (monthly), 2 (quarterly) or 3 (yearly)')
  .describe('0 weekly, 1 monthly, 2 quarterly, 3 yearly.')

export const FrequencyLabel = z.enum(['WEEKLY', 'MONTHLY', 'QUARTERLY', 'YEARLY'])

export const StatusNumber = z.literal([0, 1, 2]).describe('0 active, 1 cancelled, 2 unsubscribed.')

export const StatusLabel = z.enum(['ACTIVE', 'CANCELLED', 'UNSUBSCRIBED'])
