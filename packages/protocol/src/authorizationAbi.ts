import { IAuthorizationToken } from '@remit/contracts/IAuthorizationToken'

/** What tokens have that move money by a signed authorization (EIP-3009). */
export const authorizationAbi = IAuthorizationToken.abi
