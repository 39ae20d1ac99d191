import { maxUint256 } from 'viem'
import * as z from 'zod'
import type { ErrorClass } from '../../../errors/base.ts'
import { PermitUnsupportedError } from '../../../errors/permit.ts'
import type { TokenFacts } from '../../../ports/chainReads.ts'
import type { ChainView } from '../../../ports/chains.ts'
import { isoTime } from '../../../presentation/day.ts'
import type { Warning } from '../../../schema/envelope.ts'
import { Timestamp } from '../../../schema/numbers.ts'
import { prepareErrors } from '../answer/definePrepare.ts'
import { inWords, quantityFact, tokenWord } from '../answer/preconditions.ts'

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
    import('./readPermits.ts'),
  ])
  return { readPermitSupport, offerPermit }
}

/** Warns of permits that outlive a change of the allowance. The node is asked only where one is known. */
export async function outstandingPermits(
  chain: Pick<ChainView, 'chainId' | 'outstandingPermits' | 'now' | 'read'>,
  owner: `0x${string}`,
  token: TokenFacts,
): Promise<Warning[]> {
  const known = await chain.outstandingPermits(owner, token.address)
  if (known === undefined) {
    return [
      {
        code: 'PERMIT_OUTSTANDING',
        message: `Whether a signed permit of ${owner} for ${tokenWord(token)} is kept here cannot be told now. One that is could set the allowance to another amount.`,
        token: token.address,
      },
    ]
  }
  const held = known.filter(({ deadline }) => deadline >= chain.now)
  if (held.length === 0) return []
  const { readPermitSupport } = await import('./readPermits.ts')
  const { token: permits } = await readPermitSupport(chain, token.address, owner)
  return held
    .filter(({ nonce }) => nonce === permits?.nonce)
    .map(({ value, deadline, nonce }) => ({
      code: 'PERMIT_OUTSTANDING',
      message:
        `${owner} has signed a permit that whoever holds it can carry until ${isoTime(deadline)}: it sets the allowance to ` +
        `${value === maxUint256 ? `everything (2^256 - 1) of ${tokenWord(token)}` : inWords(value, token)}, also after this. ` +
        'To void it, ask here with permit: true, sign, and carry that permit, which uses up the same nonce.',
      token: token.address,
      value: quantityFact(value, token),
      deadline,
      nonce: nonce.toString(),
    }))
}
