import {
  type Address,
  encodeAbiParameters,
  encodeFunctionData,
  getTypesForEIP712Domain,
  type Hex,
  hashTypedData,
  keccak256,
  type TypedData,
  type TypedDataParameter,
} from 'viem'
import { keySignature, NOBODYS_SIGNATURE, type TokenDomain } from './signatures.ts'
import { authorizationAbi as abi } from './tokenAbis.ts'

/** A transfer that its payer signs for, and anybody sends to the token ("carries", EIP-3009): how a top-up reaches a member. */
export interface Authorization {
  readonly from: Address
  readonly to: Address
  /** Raw units. */
  readonly value: bigint
  /** Unix time in seconds: from then on the token refuses it. */
  readonly validBefore: number
}

/** keccak256 of what is signed, as some tokens publish it under TRANSFER_WITH_AUTHORIZATION_TYPEHASH. */
export const AUTHORIZATION_TYPEHASH: Hex =
  '0x7c7c6cdb67a18743f49ec6fa9b35f50d52ed05cbed4cc592e13b44501c1a2267'

/** Signed transfers are valid at once. */
const VALID_AFTER = 0n

const FIELDS = [
  { name: 'from', type: 'address' },
  { name: 'to', type: 'address' },
  { name: 'value', type: 'uint256' },
  { name: 'validAfter', type: 'uint256' },
  { name: 'validBefore', type: 'uint256' },
  { name: 'nonce', type: 'bytes32' },
] as const

/** Where an authorization is taken. */
interface AuthorizationPlace {
  readonly chainId: number
  readonly token: Address
}

/**
 * The nonce of an authorization: the hash of all that it says, and where. So whoever signs the same twice pays once, and whoever
 * carries it can compute the nonce.
 */
export function authorizationNonce(
  { chainId, token }: AuthorizationPlace,
  { from, to, value, validBefore }: Authorization,
): Hex {
  return keccak256(
    encodeAbiParameters(
      [
        { type: 'uint256' },
        { type: 'address' },
        { type: 'address' },
        { type: 'address' },
        { type: 'uint256' },
        { type: 'uint256' },
      ],
      [BigInt(chainId), token, from, to, value, BigInt(validBefore)],
    ),
  )
}

/** What a wallet signs by eth_signTypedData_v4. */
interface AuthorizationTypedData {
  readonly domain: TokenDomain
  readonly types: Readonly<Record<'EIP712Domain' | 'TransferWithAuthorization', TypedDataParameter[]>>
  readonly primaryType: 'TransferWithAuthorization'
  readonly message: {
    readonly from: Address
    readonly to: Address
    readonly value: bigint
    readonly validAfter: bigint
    readonly validBefore: bigint
    readonly nonce: Hex
  }
}

/** What a wallet signs for an authorization, and its digest. */
export function authorizationTypedData(
  domain: TokenDomain,
  nonce: Hex,
  { from, to, value, validBefore }: Authorization,
): AuthorizationTypedData & { readonly digest: Hex } {
  const typed: AuthorizationTypedData = {
    domain,
    types: {
      EIP712Domain: getTypesForEIP712Domain({ domain }),
      TransferWithAuthorization: [...FIELDS],
    },
    primaryType: 'TransferWithAuthorization',
    message: { from, to, value, validAfter: VALID_AFTER, validBefore: BigInt(validBefore), nonce },
  }
  return { ...typed, digest: hashTypedData<TypedData, string>(typed) }
}

/**
 * The calldata by which an authorization could be carried, the most usual first. Which of them a token takes, and whether it takes the
 * signature, only a trial shows.
 */
export function authorizationCalls(
  { from, to, value, validBefore }: Authorization,
  nonce: Hex,
  signature: Hex,
): Hex[] {
  const common = [from, to, value, VALID_AFTER, BigInt(validBefore), nonce] as const
  const functionName = 'transferWithAuthorization'
  // Some tokens also take a signature as one `bytes`, the only form that can hold a contract wallet's.
  const asBytes = encodeFunctionData({ abi, functionName, args: [...common, signature] })
  const key = keySignature(signature)
  if (key === undefined) return [asBytes]
  const args = [...common, 27 + key.yParity, key.r, key.s] as const
  return [encodeFunctionData({ abi, functionName, args }), asBytes]
}

/**
 * Calls that every token refuses, to find out which form it has: one that has the function says why it refuses; one that lacks it
 * reverts without a reason. `key` takes the parts of a key's signature, `bytes` any signature as a whole.
 */
export function authorizationProbes(payer: Address): { readonly key: Hex; readonly bytes: Hex } {
  const over = { from: payer, to: payer, value: 0n, validBefore: 1 }
  const [key = '0x', bytes = '0x'] = authorizationCalls(over, `0x${'0'.repeat(64)}`, NOBODYS_SIGNATURE)
  return { key, bytes }
}
