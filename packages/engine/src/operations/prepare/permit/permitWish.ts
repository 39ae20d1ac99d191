import * as z from 'zod'
import type { ErrorClass } from '../../../errors/base.ts'
import { PermitUnsupportedError } from '../../../errors/permit.ts'
import { Timestamp } from '../../../schema/numbers.ts'
import { prepareErrors } from '../answer/definePrepare.ts'

/** The options of a prepare that changes an allowance, which can be signed for as well. */
export const permitOptions = {
  permit: z
    .boolean()
    .optional()
    .describe('true: answer a `permit` (EIP-712) to sign in place of an approval; anybody can carry it.'),
  permitDeadline: Timestamp.optional().describe('Its end. Default an hour ahead, at most 7 days.'),
}

/** Refuses a deadline of nothing. */
export function checkPermitWish(
  { permit = false, permitDeadline }: { permit?: boolean | undefined; permitDeadline?: number | undefined },
  context: z.RefinementCtx,
): void {
  if (permit || permitDeadline === undefined) return
  context.addIssue({ code: 'custom', path: ['permitDeadline'], message: 'needs permit: true beside it' })
}

/** The errors of a prepare that changes an allowance. */
export const permitErrors: readonly ErrorClass[] = [...prepareErrors, PermitUnsupportedError]

/** What is needed where a permit is asked for. Most ask for none, so those who load this code in parts leave it out. */
export async function loadPermits({ permit = false }: { readonly permit?: boolean | undefined }) {
  if (!permit) return undefined
  const [{ readPermitSupport }, { offerPermit }] = await Promise.all([
    import('./readPermits.ts'),
    import('./offerPermit.ts'),
  ])
  return { readPermitSupport, offerPermit }
}
