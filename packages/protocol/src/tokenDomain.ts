import { type Address, domainSeparator, type Hex, isAddressEqual, numberToHex } from 'viem'

/** What is signed to a token is signed for this, by EIP-712. */
export interface TokenDomain {
  readonly name?: string
  readonly version?: string
  readonly chainId?: number
  readonly verifyingContract: Address
  readonly salt?: Hex
}

/**
 * The domain whose separator is the token's; `undefined` where none of what the token says of itself gives it. Another token's domain
 * or another chain's is none: what is signed for it would be taken there.
 * @param said what EIP-5267 states, or what the names and versions of other tokens allow
 */
export function domainOf(
  {
    token,
    chainId,
    separator,
  }: { readonly token: Address; readonly chainId: number; readonly separator: Hex },
  said: readonly TokenDomain[],
): TokenDomain | undefined {
  return said.find((domain) => {
    const { chainId: stated, verifyingContract, salt } = domain
    const isHere = stated === undefined ? salt === numberToHex(chainId, { size: 32 }) : stated === chainId
    return isHere && isAddressEqual(verifyingContract, token) && domainSeparator({ domain }) === separator
  })
}

/** A signature in the form of a key’s that nobody has made: 1, 1 and 27. What is tried with it is refused. */
export const NOBODYS_SIGNATURE: Hex = `0x${'0'.repeat(63)}1${'0'.repeat(63)}11b`
