import { canPermit, permitTypedData } from '@remit/protocol/signed/permit'
import type { Address } from 'viem'
import { ValidationError } from '../../../errors/input.ts'
import { PermitUnsupportedError } from '../../../errors/permit.ts'
import type { ChainView } from '../../../ports/chains.ts'
import { byRoute } from '../../../presentation/byRoute.ts'
import { isoTime } from '../../../presentation/day.ts'
import { MOST_PERMIT_SECONDS } from '../../../schema/permit.ts'
import type { Instead } from '../answer/prepareAnswer.ts'
import type { PermitSupport } from './readPermits.ts'

/** Long enough to be carried at once. Whoever holds a permit can set the allowance until it ends. */
const PERMIT_SECONDS = 3_600

/**
 * The permit by which a wallet sets the protocol's allowance without a transaction of its own.
 *
 * Throws PermitUnsupportedError; ValidationError for a deadline that is over or too far ahead.
 */
export function offerPermit(
  chain: Pick<ChainView, 'contractAddress' | 'chainId' | 'now'>,
  support: PermitSupport,
  wish: {
    readonly token: Address
    readonly owner: Address
    /** The allowance to be, raw units. */
    readonly value: bigint
    readonly permitDeadline: number | undefined
    /** What follows once it is carried. */
    readonly afterwards?: string
  },
): Instead {
  const { token, owner, value, afterwards } = wish
  const { permitDeadline: deadline = chain.now + PERMIT_SECONDS } = wish
  if (deadline <= chain.now)
    throw ValidationError.of('permitDeadline', 'is over already, by the chain’s clock')
  if (deadline > chain.now + MOST_PERMIT_SECONDS) {
    throw ValidationError.of('permitDeadline', 'is more than 7 days ahead')
  }
  const known = requirePermits(token, support)
  if (!canPermit(known.form, value)) {
    throw new PermitUnsupportedError(
      token,
      'its permit allows everything or nothing, and no amount; infiniteApproval: true asks for everything',
    )
  }
  const permit = { owner, spender: chain.contractAddress, value, deadline }
  const allowance = known.form === 'dai' ? { allowed: value > 0n } : { value: value.toString() }
  const signed = { token, owner, ...allowance, deadline, signature: '<signature>' }
  return {
    permit: { ...permitTypedData(known, permit), deadline, nonce: known.nonce },
    steps: [
      `Sign \`permit\` with the wallet ${owner} (eth_signTypedData_v4). It costs no gas and changes nothing by itself. The ` +
        `digest that is signed must be the one given here.`,
      `Whoever has the signature can carry it until ${isoTime(deadline)}, also after another approval or a revocation: ask ` +
        `prepare_carry_permit${byRoute(`POST /prepare/carry_permit?chainId=${chain.chainId}`)} with \`from\`, who pays the gas, ` +
        `and ${JSON.stringify(signed)}.`,
      ...(afterwards === undefined ? [] : [afterwards]),
    ],
  }
}

/**
 * How the token takes the owner's permits.
 *
 * Throws PermitUnsupportedError where it takes none, or none of a contract.
 */
export function requirePermits(token: Address, { token: known, isContract, takesContracts }: PermitSupport) {
  if (known === undefined) {
    throw new PermitUnsupportedError(
      token,
      'it has no permit that can be made out from what it says of itself',
    )
  }
  if (isContract && !(takesContracts && known.form === 'eip2612')) {
    throw new PermitUnsupportedError(
      token,
      'the wallet is a contract, and the token takes signatures of keys alone',
    )
  }
  return known
}
