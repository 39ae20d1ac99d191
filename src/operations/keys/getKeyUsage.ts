import * as z from 'zod'
import { LaneLimits } from '../../core/lanes.ts'
import { defineOperation } from '../../core/operation.ts'
import { KeyNotFoundError, LimiterUnavailableError } from '../../errors/access.ts'
import { KeyId, managementErrors } from './key.ts'

/** How much of each limit a key has used. Reading it takes nothing from the key. */
export const getKeyUsage = defineOperation({
  name: 'get_key_usage',
  effect: 'manage',
  scope: 'keys',
  summary: 'How much of each of its limits an API key has used',
  description: 'A key and the one that replaced it count together.',
  rest: { method: 'GET', path: '/developer/keys/:id/usage' },
  tool: false,
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
    // Another subject's key is not found.
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
