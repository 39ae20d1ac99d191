import { IAuthorizationToken } from '@remit/contracts/IAuthorizationToken'
import { IPermitToken } from '@remit/contracts/IPermitToken'

/** What tokens that take signed permissions may have; no token has all of it. */
export const permitAbi = IPermitToken.abi

/** What tokens have that move money by a signed authorization (EIP-3009). */
export const authorizationAbi = IAuthorizationToken.abi
