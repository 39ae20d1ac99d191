import { type Address, getAddress } from 'viem'
import { errorOf } from './base.ts'

/** The token moves no money by a signature, or by none of a contract wallet. A transfer works with every token. */
export class AuthorizationUnsupportedError extends errorOf(
  422,
  'AUTHORIZATION_UNSUPPORTED',
  'the token moves no money by a signature, or by none of a contract wallet',
) {
  constructor(token: Address, why: string) {
    super(`No transfer of the token ${getAddress(token)} can be signed: ${why}.`, { facts: { token } })
  }
}

/** Why a token would refuse an authorization. */
export type AuthorizationFlaw = 'expired' | 'signature' | 'balance' | 'refused'

const FLAWS: Readonly<Record<AuthorizationFlaw, string>> = {
  expired: 'its validBefore has passed',
  signature: 'the signature is not the payer’s over just these values',
  balance: 'the payer holds less than it gives',
  refused: 'the token refuses it, as for a payer or a receiver whom it blocks',
}

/** The token would refuse the authorization. Its payer has to sign another one. */
export class AuthorizationVoidError extends errorOf(
  422,
  'AUTHORIZATION_VOID',
  'the token would refuse the signed transfer',
) {
  constructor(
    { token, payer, account }: Readonly<Record<'token' | 'payer' | 'account', Address>>,
    flaw: AuthorizationFlaw,
  ) {
    super(
      `The transfer of the token ${getAddress(token)} that ${getAddress(payer)} has signed for ${getAddress(account)} is void: ${FLAWS[flaw]}.`,
      { facts: { token, payer, account, flaw } },
    )
  }
}
