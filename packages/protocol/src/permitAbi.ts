import { IPermitToken } from '@remit/contracts/IPermitToken'

/** What tokens that take signed permissions may have; no token has all of it. */
export const permitAbi = IPermitToken.abi
