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

/** The further options of a prepare that changes an allowance: in place of the transaction, a permit can be asked for. */
export const permitOptions = {
  permit: z
    .boolean()
    .optional()
    .describe('true: answer a `permit` (EIP-712) to sign in place of an approval; anybody can carry it.'),
  permitDeadline: Timestamp.optional().describe('Its end. Default an hour ahead, at most 7 days.'),
}

/** Refuses a deadline where no permit is asked for. */
export function checkPermitWish(
  { permit = false, permitDeadline }: { permit?: boolean | undefined; permitDeadline?: number | undefined },
  context: z.RefinementCtx,
): void {
  if (permit || permitDeadline === undefined) return
  context.addIssue({ code: 'custom', path: ['permitDeadline'], message: 'needs permit: true beside it' })
}

/** The errors of a prepare that changes an allowance. */
export const permitErrors: readonly ErrorClass[] = [...prepareErrors, PermitUnsupportedError]

/** What is needed where a permit is asked for; else `undefined`, and a page that loads its code in parts is spared this one. */
export async function loadPermits({ permit = false }: { readonly permit?: boolean | undefined }) {
  return permit ? import('./readPermits.ts') : undefined
}

/**
 * Warns of signed permits that could still be carried after a change of the allowance, and undo it. The node is asked only
 * where the service holds one of this wallet.
 */
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
