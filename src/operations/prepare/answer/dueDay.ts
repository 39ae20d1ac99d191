import * as z from 'zod'
import { dueDayRange, type Frequency, frequencyLabel, isDueDay } from '../../../protocol/subscription.ts'

/** A due day in a request; which ones there are depends on the frequency beside it. */
export const DueDay = z
  .int()
  .describe('Weekly 1-7 (Monday is 1), monthly 1-28, quarterly 1-90, yearly 1-365; never shifted.')

/** Refuses a due day that no subscription of its frequency can have. */
export function checkDueDay(
  { frequency, dueDay }: { readonly frequency: Frequency; readonly dueDay: number },
  context: z.RefinementCtx,
): void {
  if (isDueDay(frequency, dueDay)) return
  const { min, max } = dueDayRange(frequency)
  context.addIssue({
    code: 'custom',
    path: ['dueDay'],
    message: `must be ${min} to ${max} for a ${frequencyLabel(frequency)} subscription`,
  })
}
