import { type Address, getAddress } from 'viem'
import { errorOf } from './base.ts'

/**
 * The token takes no permit, none of this amount, or none of a contract wallet, or it refuses one that its owner has rightly signed.
 * Approving works with every token.
 */
export class PermitUnsupportedError extends errorOf(
  422,
  'PERMIT_UNSUPPORTED',
  'the token takes no permit, none of a contract wallet, or none of this amount',
) {
  constructor(token: Address, why: string) {
    super(`No permit for the token ${getAddress(token)} can be signed: ${why}.`, { facts: { token } })
  }
}

/** Why a token would refuse a permit. */
export type PermitFlaw = 'expired' | 'used' | 'signature'

const FLAWS: Readonly<Record<PermitFlaw, string>> = {
  expired: 'its deadline has passed',
  used: 'the owner’s nonce has been used since',
  signature: 'the signature is not the owner’s over just these values',
}

/** The token would refuse the permit. Its owner has to sign another one. */
export class PermitVoidError extends errorOf(422, 'PERMIT_VOID', 'the token would refuse the permit') {
  constructor(permit: { readonly token: Address; readonly owner: Address }, flaw: PermitFlaw) {
    const { token, owner } = permit
    super(`The permit of ${getAddress(owner)} for the token ${getAddress(token)} is void: ${FLAWS[flaw]}.`, {
      facts: { token, owner, flaw },
    })
  }
}
