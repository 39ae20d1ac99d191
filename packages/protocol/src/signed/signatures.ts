/**
 * Signatures of wallets, for whoever checks or carries one: the question to a node whether a contract wallet confirms a signature, the
 * parts of a key's signature, and the EIP-712 domain for which a token takes them.
 */

import {
  type Address,
  concatHex,
  domainSeparator,
  encodeDeployData,
  erc6492SignatureValidatorAbi,
  erc6492SignatureValidatorByteCode,
  type Hex,
  hexToNumber,
  isAddressEqual,
  isErc6492Signature,
  numberToHex,
  type Signature,
  serializeErc6492Signature,
  size,
  slice,
  toHex,
  zeroAddress,
} from 'viem'

/** A statement that a wallet has signed this hash. */
export interface SignatureClaim {
  readonly address: Address
  readonly hash: Hex
  readonly signature: Hex
}

/**
 * The call by which a node finds out whether a contract confirms a signature in its name, by ERC-1271, or by ERC-6492 where it is
 * not deployed yet. The node runs a checker as the constructor of a contract that is never created. `isConfirmed` reads its answer.
 */
export function signatureCheck({ address, hash, signature }: SignatureClaim) {
  // A plain signature is wrapped in ERC-6492's form, as that of a contract that needs no deployment: then the checker only asks the
  // contract. Unwrapped, at an address without a contract, it would recover a key instead. That gives the zero address for what is no
  // signature, as if this address had signed, and fails for a signature of less than 32 bytes.
  const wrapped = isErc6492Signature(signature)
    ? signature
    : serializeErc6492Signature({ address: zeroAddress, data: '0x', signature })
  const data = encodeDeployData({
    abi: erc6492SignatureValidatorAbi,
    args: [address, hash, wrapped],
    bytecode: erc6492SignatureValidatorByteCode,
  })
  // Ten times what the dearest checks take: to deploy the wallet first, or to check another curve in Solidity.
  return { data, gas: 10_000_000n }
}

/** Whether the checker's answer, of one byte, confirms the signature. */
export function isConfirmed(answer: Hex | undefined): boolean {
  return /^0x0*1$/.test(answer ?? '')
}

/**
 * The parts of a key's signature, of 65 bytes or of 64 (EIP-2098); `undefined` for any other, such as a contract wallet's. Whether
 * they are on the curve is not looked at.
 */
export function keySignature(signature: Hex): (Signature & { readonly yParity: number }) | undefined {
  if (size(signature) !== 64 && size(signature) !== 65) return undefined
  const [r, s] = [slice(signature, 0, 32), slice(signature, 32, 64)]
  if (size(signature) === 64) {
    const [first, rest] = [hexToNumber(slice(s, 0, 1)), slice(s, 1)]
    return { r, s: concatHex([toHex(first & 0x7f, { size: 1 }), rest]), yParity: first >> 7 }
  }
  const last = hexToNumber(slice(signature, 64))
  const yParity = last < 27 ? last : last - 27
  return yParity > 1 ? undefined : { r, s, yParity }
}

/** The EIP-712 domain of a token: what a signature is bound to, so that no other contract or chain takes it. */
export interface TokenDomain {
  readonly name?: string
  readonly version?: string
  readonly chainId?: number
  readonly verifyingContract: Address
  readonly salt?: Hex
}

/**
 * The first candidate that names this token and chain, and whose hash is the token's DOMAIN_SEPARATOR (`separator`); `undefined` where
 * none is. A domain of another token or chain never counts, whatever its hash: what is signed for it could be used there.
 * @param candidates what the token states by EIP-5267, then the usual names and versions
 */
export function domainOf(
  {
    token,
    chainId,
    separator,
  }: { readonly token: Address; readonly chainId: number; readonly separator: Hex },
  candidates: readonly TokenDomain[],
): TokenDomain | undefined {
  return candidates.find((domain) => {
    const { chainId: stated, verifyingContract, salt } = domain
    // Some tokens name their chain by the salt instead.
    const isHere = stated === undefined ? salt === numberToHex(chainId, { size: 32 }) : stated === chainId
    return isHere && isAddressEqual(verifyingContract, token) && domainSeparator({ domain }) === separator
  })
}

/** A signature in a key's form that nobody has made (r = 1, s = 1, v = 27), for calls that only find out which functions a token has. */
export const NOBODYS_SIGNATURE: Hex = `0x${'0'.repeat(63)}1${'0'.repeat(63)}11b`
