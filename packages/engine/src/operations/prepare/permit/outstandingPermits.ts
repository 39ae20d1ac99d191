import { maxUint256 } from 'viem'
import type { TokenFacts } from '../../../ports/chainReads.ts'
import type { ChainView } from '../../../ports/chains.ts'
import { isoTime } from '../../../presentation/day.ts'
import type { Warning } from '../../../schema/envelope.ts'
import { inWords, quantityFact, tokenWord } from '../answer/preconditions.ts'

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
